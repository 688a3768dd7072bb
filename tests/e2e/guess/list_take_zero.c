/* SPDX-License-Identifier: MIT
 *
 * Every operation is under one lock, hence atomic: nothing is wrong, whatever is guessed of its
 * meaning. take returns the oldest, 0 if there is none.
 *
 * verdict: 0
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define OP __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long result[6];

struct list {
	int v[8], n;
};
static struct list list;

OP void list_add(struct list *l, int v)
{
	pthread_mutex_lock(&m);
	l->v[l->n++] = v;
	pthread_mutex_unlock(&m);
}

OP int list_take(struct list *l)
{
	int r = 0;

	pthread_mutex_lock(&m);
	if (l->n) {
		r = l->v[0];
		l->n--;
		for (int i = 0; i < l->n; i++)
			l->v[i] = l->v[i + 1];
	}
	pthread_mutex_unlock(&m);
	return r;
}

static void *one(void *arg)
{
	list_add(&list, 5);
	result[0] = list_take(&list);
	return arg;
}

static void *other(void *arg)
{
	list_add(&list, 6);
	result[1] = list_take(&list);
	result[2] = list_take(&list);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
