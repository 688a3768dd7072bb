/* SPDX-License-Identifier: MIT
 *
 * Put reads the old value before it locks, so one may be returned twice or never: must be found.
 *
 * verdict: 1
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define OP __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long result[6];

struct map {
	int v[4];
};
static struct map map;

OP int map_put(struct map *p, int k, int v)
{
	int old = p->v[k];

	pthread_mutex_lock(&m);
	p->v[k] = v;
	pthread_mutex_unlock(&m);
	return old;
}

OP int map_get(struct map *p, int k)
{
	int v;

	pthread_mutex_lock(&m);
	v = p->v[k];
	pthread_mutex_unlock(&m);
	return v;
}

OP int map_remove(struct map *p, int k)
{
	int old;

	pthread_mutex_lock(&m);
	old = p->v[k];
	p->v[k] = 0;
	pthread_mutex_unlock(&m);
	return old;
}

static void *one(void *arg)
{
	result[0] = map_put(&map, 1, 10);
	result[1] = map_get(&map, 1);
	return arg;
}

static void *other(void *arg)
{
	result[2] = map_put(&map, 1, 11);
	result[3] = map_remove(&map, 1);
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
