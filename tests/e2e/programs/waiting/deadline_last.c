/* SPDX-License-Identifier: MIT
 *
 * The wait ends by time, and the thread ends with it: it has gone on without a further event.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static atomic_int flag;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *waits(void *arg)
{
	long end = now() + 1000000;
	int seen;

	while (!(seen = atomic_load(&flag)) && now() < end)
		;
	return seen ? arg : NULL;
}

static void *sets(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	void *seen;

	pthread_create(&a, NULL, waits, &flag);
	pthread_create(&b, NULL, sets, NULL);
	pthread_join(a, &seen);
	pthread_join(b, NULL);
	if (!seen)
		abort();
	return 0;
}
