/* SPDX-License-Identifier: MIT
 *
 * Time. In an execution it is virtual: it starts at a fixed moment, advances by a microsecond with
 * every step of the thread, by some when it is asked for, by the length of every sleep, and to the
 * deadline of a wait that ends by time. So it is the same in every replay.
 */
#include "interpose.h"

#include <errno.h>
#include <poll.h>
#include <sys/time.h>

#define EPOCH_SECONDS 1700000000L
#define LONGEST       (1ULL << 50) /* microseconds: 35 years */
#define LOOK          50           /* microseconds: a loop that waits for a moment comes to it */

static uint64_t microseconds(void)
{
	rt->timed = 1;
	/* Only the thread's own steps and sleeps count: equivalent executions must see the same
	 * time. */
	if (UNLIKELY(rt->waiting.hurry) && rt->cur->slept < LONGEST)
		rt->cur->slept += rt->cur->slept + 1000;
	if (rt->cur->slept < LONGEST)
		rt->cur->slept += LOOK;
	return rt->cur->seq + rt->cur->slept;
}

/* It is not part of the state by which loops are compared (runtime/waiting/visits.c). */
static void told(const struct timespec *t)
{
	struct rounds *r = &rt->cur->rounds;
	const uint64_t *words = (const uint64_t *)t;

	if (r->clocks[0] == words || r->clocks[1] == words)
		return;
	r->clocks[1] = r->clocks[0];
	r->clocks[0] = words;
}

void time_passes_until(const struct timespec *deadline)
{
	uint64_t now = rt->cur->seq + rt->cur->slept, then;

	if (deadline->tv_sec < EPOCH_SECONDS || (uint64_t)(deadline->tv_sec - EPOCH_SECONDS) > LONGEST / 1000000)
		return;
	then = (uint64_t)(deadline->tv_sec - EPOCH_SECONDS) * 1000000 +
	       (uint64_t)deadline->tv_nsec / 1000;
	if (then > now)
		rt->cur->slept += then - now;
}

int i_clock_gettime(clockid_t clock, struct timespec *t);
int i_clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t us;

	if (!active())
		return sys2(SYS_clock_gettime, clock, t) ? -1 : 0;
	us = microseconds();
	t->tv_sec = EPOCH_SECONDS + (time_t)(us / 1000000);
	t->tv_nsec = (long)(us % 1000000) * 1000;
	told(t);
	return 0;
}

int i_gettimeofday(struct timeval *t, void *zone);
int i_gettimeofday(struct timeval *t, void *zone)
{
	struct timespec now;

	if (!active())
		return real_gettimeofday(t, zone);
	i_clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t i_time(time_t *t);
time_t i_time(time_t *t)
{
	time_t now;

	if (!active())
		return real_time(t);
	now = EPOCH_SECONDS + (time_t)(microseconds() / 1000000);
	if (t)
		*t = now;
	return now;
}

/* A sleep lets others go first, as a yield does; its time passes immediately. */
static void pass(uint64_t us)
{
	rt->cur->slept += us;
	if (!alone()) {
		announce(LP_EV_YIELD, NULL, 0, caller());
		step(rt->cur);
	}
}

int i_nanosleep(const struct timespec *t, struct timespec *left);
int i_nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!active())
		return real_nanosleep(t, left);
	pass((uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_nsec / 1000);
	if (left)
		left->tv_sec = left->tv_nsec = 0;
	return 0;
}

int i_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left);
int i_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	if (!active())
		return (int)-sys4(SYS_clock_nanosleep, clock, flags, t, left);
	if (flags & TIMER_ABSTIME) {
		pass(0);
		return 0;
	}
	return i_nanosleep(t, left);
}

int i_usleep(useconds_t us);
int i_usleep(useconds_t us)
{
	struct timespec t = { us / 1000000, (long)(us % 1000000) * 1000 };

	return i_nanosleep(&t, NULL);
}

unsigned i_sleep(unsigned seconds);
unsigned i_sleep(unsigned seconds)
{
	struct timespec t = { seconds, 0 };

	i_nanosleep(&t, NULL);
	return 0;
}

/* Without descriptors, poll is a sleep in milliseconds. */
int i_poll(struct pollfd *fds, nfds_t n, int timeout);
int i_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	long result;

	if (active() && !n && timeout >= 0) {
		pass((uint64_t)timeout * 1000);
		return 0;
	}
	real_init();
	result = sys3(SYS_poll, fds, n, timeout);
	if (result >= 0)
		return (int)result;
	*real.errno_location() = (int)-result;
	return -1;
}
