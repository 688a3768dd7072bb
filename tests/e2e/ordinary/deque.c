/* SPDX-License-Identifier: MIT
 *
 * A deque with all four operations.
 * With FAULTY pop_front looks before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct deque {
	int a[16], lo, hi;
	pthread_mutex_t m;
};
static struct deque d = { .lo = 8, .hi = 8, .m = PTHREAD_MUTEX_INITIALIZER };

void deque_push_back(struct deque *x, int v)
{
	pthread_mutex_lock(&x->m);
	x->a[x->hi++] = v;
	pthread_mutex_unlock(&x->m);
}

void deque_push_front(struct deque *x, int v)
{
	pthread_mutex_lock(&x->m);
	x->a[--x->lo] = v;
	pthread_mutex_unlock(&x->m);
}

bool deque_pop_front(struct deque *x, int *v)
{
	bool some;
	IF_FAULTY(some = x->lo < x->hi;)
	pthread_mutex_lock(&x->m);
	IF_CORRECT(some = x->lo < x->hi;)
	if (some)
		*v = x->a[x->lo++];
	pthread_mutex_unlock(&x->m);
	return some;
}

bool deque_pop_back(struct deque *x, int *v)
{
	pthread_mutex_lock(&x->m);
	bool some = x->lo < x->hi;
	if (some)
		*v = x->a[--x->hi];
	pthread_mutex_unlock(&x->m);
	return some;
}

static void *one(void *arg)
{
	int v = 0;
	deque_push_back(&d, 1);
	r[0] = deque_pop_front(&d, &v);
	r[1] = v;
	return arg;
}

static void *two(void *arg)
{
	int v = 0;
	r[2] = deque_pop_front(&d, &v);
	r[3] = v;
	deque_push_front(&d, 2);
	r[4] = deque_pop_back(&d, &v);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
