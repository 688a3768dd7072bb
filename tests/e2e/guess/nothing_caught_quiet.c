/* SPDX-License-Identifier: MIT
 *
 * With -q --spec=set, and nothing that is an operation of a set, a run that says nothing and
 * returns 0 would pass for a test: an error.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define OP __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile long result[6];

static int x;

OP void bump(int n)
{
	x += n;
}

static void *one(void *arg)
{
	bump(1);
	return arg;
}

static void *other(void *arg)
{
	bump(2);
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
