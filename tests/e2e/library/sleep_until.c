/* SPDX-License-Identifier: MIT
 *
 * A sleep until a point in time ends when it is reached, and a clock that is read then says so.
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static int x;

static void *work(void *arg)
{
	struct timespec until, now;

	x++;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
