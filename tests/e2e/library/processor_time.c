/* SPDX-License-Identifier: MIT
 *
 * Clocks of processor time stand still while a program sleeps, and go on while it computes, in whatever thread.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static double by_clock_gettime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double by_clock(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static double by_times(void)
{
	struct tms t;

	times(&t);
	return (double)t.tms_utime / (double)sysconf(_SC_CLK_TCK);
}

static double by_getrusage(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)r.ru_utime.tv_sec + (double)r.ru_utime.tv_usec / 1e6;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double latest;

static void *work(void *unused)
{
	double now;

	sleep(3);
	pthread_mutex_lock(&lock);
	now = HOW();
	assert(now >= latest && now < 1);
	latest = now;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	double before = HOW();
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(HOW() - before < 1);
	while (HOW() < 0.02)
		;
	assert(HOW() >= latest);
	return 0;
}
