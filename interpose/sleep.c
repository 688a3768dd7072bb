/* SPDX-License-Identifier: MIT
 *
 * Sleeping. A sleep lets others go first, as a yield does; its time passes immediately.
 */
#include "../runtime/explore.h"
#include "clock.h"
#include "sending.h"

#include <errno.h>

#define LONGEST_REAL 2000000 /* microseconds: as long as the watchdog lets it */
#define REAL_STEP    100000

/* Other processes that the program has started run in real time. When it is over: a signal may have come before, to this
 * step of it at least. */
static uint64_t with_others(uint64_t then)
{
	const uint64_t now = time_now();
	uint64_t us = then - now < LONGEST_REAL ? then - now : LONGEST_REAL, rest;
	struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	if (then <= now || sys2(SYS_nanosleep, &t, &t) >= 0)
		return then;
	if (UNLIKELY(rt->late & rt->searching)) /* time is up for the search, and says so again and again */
		abandon_execution();
	rest = (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
	return now + (us - rest) / REAL_STEP * REAL_STEP;
}

/* Until then, or until a handler runs: what is left. */
static uint64_t pass_until(uint64_t then)
{
	struct fiber *f = rt->cur;
	uint64_t until;
	struct pending *p;
	bool there, ended;

	cancellation_point();
	signals_first();
	do {
		until = UNLIKELY(rt->forked) ? with_others(then) : then;
		there = time_goes_on(until) && until == then;
		if (alone()) {
			ended = take_now();
		} else {
			p = announce(LP_EV_YIELD, NULL, 0, caller());
			p->flags = LP_SITE_NOVALUE; /* no sched_yield */
			interruptible(p, BY_CANCEL | BY_SIGNAL | BY_ANY_SIGNAL);
			ended = step(f)->kind == LP_EV_TAKE;
		}
		if (ended)
			return then > time_now() ? then - time_now() : 1;
	} while (!there);
	return 0;
}

/* The kernel refuses it, and is asked in any case. */
static int refused(int error)
{
	cancellation_point();
	return error;
}

/* 0 or an error */
static int sleep_for(const struct timespec *t, struct timespec *left)
{
	uint64_t rest;

	if (t->tv_sec < 0 || !valid_time(t))
		return refused(EINVAL);
	rest = pass_until(time_after(time_now(), t));
	if (left)
		*left = (struct timespec){ (time_t)(rest / 1000000), (long)(rest % 1000000) * 1000 };
	return rest ? EINTR : 0;
}

static int with_errno(int error)
{
	return error ? fail(error) : 0;
}

int i_nanosleep(const struct timespec *t, struct timespec *left);
int i_nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!active())
		return real_nanosleep(t, left);
	return with_errno(sleep_for(t, left));
}

int i_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left);
int i_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	uint64_t then;

	if (!active())
		return (int)-sys4(SYS_clock_nanosleep, clock, flags,
				  flags & TIMER_ABSTIME && !clock_of_processor(clock) ? real_until(clock, t) : t, left);
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_TAI:
	case CLOCK_PROCESS_CPUTIME_ID:
		break;
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
		return refused(EOPNOTSUPP);
	default:
		return refused(EINVAL);
	}
	if (!(flags & TIMER_ABSTIME))
		return sleep_for(t, left);
	if (t->tv_sec < 0 || !valid_time(t))
		return refused(EINVAL);
	if (!time_of(t, &then) || then < time_now())
		then = time_now();
	return pass_until(then) ? EINTR : 0;
}

int i_thrd_sleep(const struct timespec *t, struct timespec *left);
int i_thrd_sleep(const struct timespec *t, struct timespec *left)
{
	if (!active())
		return i_nanosleep(t, left) ? -1 : 0;
	switch (sleep_for(t, left)) {
	case 0:
		return 0;
	case EINTR:
		return -1;
	default:
		return -2;
	}
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
	struct timespec t = { seconds, 0 }, left = { 0, 0 };

	if (!i_nanosleep(&t, &left))
		return 0;
	return (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

int sleeps_until(uint64_t then)
{
	return with_errno(pass_until(then) ? EINTR : 0);
}
