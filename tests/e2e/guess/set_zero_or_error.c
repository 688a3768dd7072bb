/* SPDX-License-Identifier: MIT
 *
 * Every operation is under one lock, hence atomic: nothing is wrong, whatever is guessed of its
 * meaning. 0 is success here, -1 failure.
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

struct set {
	unsigned bits;
};
static struct set set;

OP int set_insert(struct set *s, int k)
{
	int r = -1;

	pthread_mutex_lock(&m);
	if (!(s->bits >> k & 1)) {
		s->bits |= 1u << k;
		r = 0;
	}
	pthread_mutex_unlock(&m);
	return r;
}

OP int set_delete(struct set *s, int k)
{
	int r = -1;

	pthread_mutex_lock(&m);
	if (s->bits >> k & 1) {
		s->bits &= ~(1u << k);
		r = 0;
	}
	pthread_mutex_unlock(&m);
	return r;
}

OP int set_lookup(struct set *s, int k)
{
	int r;

	pthread_mutex_lock(&m);
	r = s->bits >> k & 1;
	pthread_mutex_unlock(&m);
	return r;
}

static void *one(void *arg)
{
	result[0] = set_insert(&set, 1);
	result[1] = set_lookup(&set, 1);
	return arg;
}

static void *other(void *arg)
{
	result[2] = set_insert(&set, 1);
	result[3] = set_delete(&set, 1);
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
