/* SPDX-License-Identifier: MIT
 *
 * Clocks and sleeps.
 */
#include "same.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>

static long milliseconds(struct timespec from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec) / 1000000;
}

#define SLEEP(least, call)                                                                         \
	do {                                                                                       \
		struct timespec from_;                                                             \
		clock_gettime(CLOCK_MONOTONIC, &from_);                                            \
		E(call);                                                                           \
		V(milliseconds(from_) >= (least));                                                 \
	} while (0)

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static struct timespec before;

static void *not_before(void *unused)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	V(now.tv_sec > before.tv_sec || (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec));
	before = now;
	return unused;
}

void calls(void)
{
	struct timespec t = { 0, 3000000 }, left, until;
	struct timeval tv = { 0, 3000 };
	struct rusage usage;
	struct tms tms;
	sem_t s;

	for (int clock = -1; clock < 14; clock++)
		if (clock < 8 || clock > 10) /* some machines cannot wake up by a clock */
			E(clock_gettime(clock, &left));
	E(clock_gettime(99, &left));
	V(timespec_get(&left, TIME_UTC));
	V(timespec_get(&left, 99));
	E(gettimeofday(&tv, NULL));
	V(time(NULL) + 1 >= tv.tv_sec);
	V(clock() >= 0);
	V(times(&tms) >= 0);
	E(getrusage(RUSAGE_SELF, &usage));
	E(getrusage(99, &usage));
	SLEEP(3, nanosleep(&t, &left));
	E(nanosleep(&too_large, NULL));
	E(nanosleep(&too_small, NULL));
	SLEEP(3, usleep(3000));
	SLEEP(3, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	R(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
	R(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &too_large, NULL));
	R(clock_nanosleep(99, 0, &t, NULL));
	R(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &t, NULL));
	R(clock_nanosleep(CLOCK_REALTIME_COARSE, 0, &t, NULL));
	V(thrd_sleep(&t, NULL));
	V(thrd_sleep(&too_large, NULL));
	SLEEP(3, poll(NULL, 0, 3));
	SLEEP(0, poll(NULL, 0, 0));
	tv = (struct timeval){ 0, 3000 };
	SLEEP(3, select(0, NULL, NULL, NULL, &tv));
	SLEEP(3, pselect(0, NULL, NULL, NULL, &t, NULL));
	SLEEP(3, ppoll(NULL, 0, &t, NULL));
	E(ppoll(NULL, 0, &too_large, NULL));
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	until.tv_nsec = 0;
	pthread_mutex_lock(&m);
	R(pthread_cond_timedwait(&c, &m, &until));
	pthread_mutex_unlock(&m);
	clock_gettime(CLOCK_REALTIME, &left);
	V(left.tv_sec >= until.tv_sec);
	sem_init(&s, 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	E(sem_clockwait(&s, CLOCK_MONOTONIC, &until));
	clock_gettime(CLOCK_MONOTONIC, &left);
	V(left.tv_sec >= until.tv_sec);
	clock_gettime(CLOCK_MONOTONIC, &before);
	elsewhere(not_before, NULL);
	not_before(NULL);
}
