/* SPDX-License-Identifier: MIT
 *
 * Every operation is under one lock, hence atomic: nothing is wrong, whatever is guessed of its
 * meaning. add returns the new value, sub the old one.
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

struct counter {
	int v;
};
static struct counter c;

OP int counter_add(struct counter *p, int n)
{
	int r;

	pthread_mutex_lock(&m);
	r = p->v += n;
	pthread_mutex_unlock(&m);
	return r;
}

OP int counter_sub(struct counter *p, int n)
{
	int r;

	pthread_mutex_lock(&m);
	r = p->v;
	p->v -= n;
	pthread_mutex_unlock(&m);
	return r;
}

OP int counter_get(struct counter *p)
{
	int r;

	pthread_mutex_lock(&m);
	r = p->v;
	pthread_mutex_unlock(&m);
	return r;
}

static void *one(void *arg)
{
	result[0] = counter_add(&c, 2);
	result[1] = counter_get(&c);
	return arg;
}

static void *other(void *arg)
{
	result[2] = counter_sub(&c, 1);
	result[3] = counter_get(&c);
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
