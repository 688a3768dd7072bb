/* SPDX-License-Identifier: MIT
 *
 * Every operation is under one lock, hence atomic: nothing is wrong, whatever is guessed of its
 * meaning. The pool holds 3 and 4 when the program starts.
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

struct pool {
	int v[4], n;
};
static struct pool pool = { { 3, 4 }, 2 };

OP int pool_get(struct pool *p)
{
	int v = -1;

	pthread_mutex_lock(&m);
	if (p->n)
		v = p->v[--p->n];
	pthread_mutex_unlock(&m);
	return v;
}

OP void pool_put(struct pool *p, int v)
{
	pthread_mutex_lock(&m);
	p->v[p->n++] = v;
	pthread_mutex_unlock(&m);
}

static void *one(void *arg)
{
	int v = pool_get(&pool);

	pool_put(&pool, v);
	return arg;
}

static void *other(void *arg)
{
	int v = pool_get(&pool);

	pool_put(&pool, v);
	result[0] = pool_get(&pool);
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
