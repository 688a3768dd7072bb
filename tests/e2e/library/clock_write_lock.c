/* SPDX-License-Identifier: MIT
 *
 * Pthread_rwlock_clockwrlock waits for the other writer like wrlock does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static volatile int inside;

static void *work(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += 60;
	if (pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t))
		return arg;
	if (++inside != 1)
		abort();
	--inside;
	pthread_rwlock_unlock(&l);
	return arg;
}

static void *other(void *arg)
{
	pthread_rwlock_wrlock(&l);
	if (++inside != 1)
		abort();
	--inside;
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
