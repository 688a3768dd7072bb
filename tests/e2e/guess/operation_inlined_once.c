/* SPDX-License-Identifier: MIT
 *
 * Add is inlined in one thread only; its calls there are not seen, and the report has to say so.
 *
 * verdict: 0
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define OP static inline
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long result[6];

struct set {
	unsigned bits;
};
static struct set set;

OP bool set_add(struct set *s, int k)
{
	bool r = !(s->bits >> k & 1);

	pthread_mutex_lock(&m);
	s->bits |= 1u << k;
	pthread_mutex_unlock(&m);
	return r;
}

__attribute__((noinline)) bool set_also(struct set *s, int k)
{
	return set_add(s, k);
}

static void *one(void *arg)
{
	result[0] = set_add(&set, 1);
	return arg;
}

static void *other(void *arg)
{
	bool (*volatile f)(struct set *, int) = set_add;

	result[1] = f(&set, 1);
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
