/* SPDX-License-Identifier: MIT
 *
 * Tv_nsec below 0 or from 10^9 on is EINVAL for a timed wait.
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
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

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
	struct timespec t0 = { 1, -1 }, t1 = { 1, 1000000000 };

	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&c, &m, &t0) == EINVAL);
	assert(pthread_cond_timedwait(&c, &m, &t1) == EINVAL);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
