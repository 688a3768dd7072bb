/* SPDX-License-Identifier: MIT
 *
 * Tv_nsec from 10^9 on is EINVAL for a timed lock that would wait, and for a semaphore.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	x++;
	struct timespec t1 = { 1, 1000000000 };
	sem_t s;

	sem_init(&s, 0, 0);
	assert(sem_timedwait(&s, &t1) == -1 && errno == EINVAL);
	pthread_join(t, NULL);
	return 0;
}
