/* SPDX-License-Identifier: MIT
 *
 * A cell that starts with 1 and can be swapped.
 * With FAULTY swap reads before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct cell {
	int v;
	pthread_mutex_t m;
};
static struct cell c = { 1, PTHREAD_MUTEX_INITIALIZER };

int cell_swap(struct cell *x, int v)
{
	IF_FAULTY(int o = x->v;) pthread_mutex_lock(&x->m);
	IF_CORRECT(int o = x->v;) x->v = v;
	pthread_mutex_unlock(&x->m);
	return o;
}

int cell_load(struct cell *x)
{
	pthread_mutex_lock(&x->m);
	int o = x->v;
	pthread_mutex_unlock(&x->m);
	return o;
}

static void *one(void *arg)
{
	r[0] = cell_swap(&c, 2);
	r[1] = cell_load(&c);
	return arg;
}

static void *two(void *arg)
{
	r[2] = cell_swap(&c, 3);
	r[3] = cell_load(&c);
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
