/* SPDX-License-Identifier: MIT
 *
 * Pthread_rwlock_clockrdlock comes before or after the writer, and then n is 1: abort must be
 * found.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int n;

static void *reads(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += 60;
	if (pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &t))
		return arg;
	if (n == 1)
		abort();
	pthread_rwlock_unlock(&l);
	return arg;
}

static void *writes(void *arg)
{
	pthread_rwlock_wrlock(&l);
	n = 1;
	n = 2;
	n = 1;
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
