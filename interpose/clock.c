/* SPDX-License-Identifier: MIT
 *
 * Time. In an execution it is virtual: it starts at a fixed moment, advances by a microsecond with
 * every step of the thread, by some when it is asked for, by the length of every sleep, and to the
 * deadline of a wait that ends by time. What happens after something else (in another thread, too)
 * is not earlier. So time depends on the class of the execution only, and is the same in every
 * replay. All clocks are this one, those of processor time without the years before and without sleeps.
 */
#include "clock.h"
#include "sending.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>

#define LONGEST       (1ULL << 50) /* microseconds: 35 years */
#define OF_CHILD      10000UL /* microseconds of processor time, a tick: what it has really used differs from run to run */
#define LOOK          50           /* microseconds: a loop that waits for a moment comes to it */

uint64_t time_now(void)
{
	settle();
	return rt->cur->now;
}

static void comes_to(uint64_t then, bool sleeping)
{
	struct fiber *f = rt->cur;

	if (then <= f->now)
		return;
	if (sleeping) {
		timers_sleep(then - f->now);
		rt->slept = 1;
	}
	fiber_comes_to(f, then, sleeping);
}

static bool goes_on(uint64_t then, bool sleeping)
{
	struct fiber *f = rt->cur;
	uint64_t when;
	bool wakes;

	settle();
	if (then >= LONGEST)
		return true;
	while (UNLIKELY(timer_before(then, &when, sleeping))) {
		comes_to(when, sleeping);
		wakes = timers_run_out(when, sleeping);
		f->pending.wait = WAIT_NOT; /* it runs */
		if (wakes || signal_to_take(f) >= 0)
			return false;
	}
	comes_to(then, sleeping);
	return true;
}

bool time_goes_on(uint64_t then)
{
	return goes_on(then, true);
}

/* Only what happens before counts: equivalent executions must see the same time. */
static uint64_t microseconds(void)
{
	struct fiber *f = rt->cur;
	uint64_t then;

	settle();
	rt->timed = 1;
	then = f->now + LOOK;
	if (UNLIKELY(rt->waiting.hurry))
		then += f->now + 1000;
	while (UNLIKELY(!goes_on(then, false)))
		if (alone())
			take_now();
		else
			break;
	return f->now;
}

uint64_t clock_ticks(void)
{
	return microseconds() * 1000;
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

bool time_of(const struct timespec *t, uint64_t *us)
{
	*us = 0;
	if (t->tv_sec < EPOCH_SECONDS)
		return false;
	if ((uint64_t)(t->tv_sec - EPOCH_SECONDS) > LONGEST / 1000000)
		*us = LONGEST;
	else
		*us = (uint64_t)(t->tv_sec - EPOCH_SECONDS) * 1000000 +
		      ((uint64_t)t->tv_nsec + 999) / 1000;
	return true;
}

uint64_t time_after(uint64_t now, const struct timespec *length)
{
	if (length->tv_sec >= (time_t)(LONGEST / 1000000))
		return LONGEST;
	return now + (uint64_t)length->tv_sec * 1000000 + ((uint64_t)length->tv_nsec + 999) / 1000;
}

struct timespec moment(uint64_t us)
{
	return (struct timespec){ EPOCH_SECONDS + (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };
}

void time_due(const struct timespec *deadline)
{
	rt->slept = 1;
	time_of(deadline, &rt->cur->due);
}

bool wait_again(const struct timespec *deadline)
{
	uint64_t then, when;

	if (!time_of(deadline, &then))
		return false;
	if (LIKELY(!timer_before(then, &when, true))) {
		time_goes_on(then);
		return false;
	}
	time_goes_on(when);
	if (alone())
		take_now();
	return true;
}

/* Clocks of a processor begin with the program. Those of other processes and threads have negative
 * numbers. */
static bool of_processor(clockid_t clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

/* The clock of processor time of a thread or process: its number is in the upper bits. */
static bool known_of_processor(clockid_t clock)
{
	int id = ~(clock >> 3);

	if ((clock & 3) == 3)
		return false;
	if (id == 0 || id == (int)rt->target_pid)
		return true;
	return clock & 4 ? fiber_of_id(id) != NULL : !sys2(SYS_clock_getres, clock, NULL);
}

bool clock_of_processor(clockid_t clock)
{
	return of_processor(clock) && (clock >= 0 || known_of_processor(clock));
}

pid_t i_gettid(void);

/* Its own: what it has done itself. */
static bool of_this_thread(clockid_t clock)
{
	const int id = ~(clock >> 3);

	return clock == CLOCK_THREAD_CPUTIME_ID || (clock < 0 && clock & 4 && (!id || id == i_gettid()));
}

static uint64_t of_thread(void)
{
	return rt->cur->seq - rt->cur->before + rt->cur->computed;
}

/* That of the process, as the program is told of it. */
static uint64_t busy(void)
{
	microseconds();
	return rt->cur->busy;
}

static bool known(clockid_t clock)
{
	return clock < 0 ? known_of_processor(clock) : clock <= CLOCK_TAI && clock != 10;
}

int i_clock_gettime(clockid_t clock, struct timespec *t);
int i_clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t us;

	if (in_child() && clock >= 0 && !of_processor(clock) && known(clock)) {
		*t = child_now();
		return 0;
	}
	if (!active())
		return sys2(SYS_clock_gettime, clock, t) ? -1 : 0;
	if (!known(clock))
		return fail(EINVAL);
	us = microseconds();
	if (of_this_thread(clock))
		us = of_thread();
	else if (of_processor(clock))
		us = rt->cur->busy;
	t->tv_sec = (of_processor(clock) ? 0 : EPOCH_SECONDS) + (time_t)(us / 1000000);
	t->tv_nsec = (long)(us % 1000000) * 1000;
	told(t);
	return 0;
}

/* What the program has read is virtual; the clock of the system would be set to that. */
int i_clock_settime(clockid_t clock, const struct timespec *t);
int i_clock_settime(clockid_t clock, const struct timespec *t)
{
	return active() ? fail(known(clock) ? EPERM : EINVAL) : real_clock_settime(clock, t);
}

int i_settimeofday(const struct timeval *t, const void *zone);
int i_settimeofday(const struct timeval *t, const void *zone)
{
	return active() ? fail(EPERM) : real_settimeofday(t, zone);
}

int i_adjtime(const struct timeval *by, struct timeval *left);
int i_adjtime(const struct timeval *by, struct timeval *left)
{
	return active() && by ? fail(EPERM) : real_adjtime(by, left);
}

int i_clock_adjtime(clockid_t clock, struct timex *t);
int i_clock_adjtime(clockid_t clock, struct timex *t)
{
	return active() && t->modes ? fail(EPERM) : real_clock_adjtime(clock, t);
}

int i_adjtimex(struct timex *t);
int i_adjtimex(struct timex *t)
{
	return active() && t->modes ? fail(EPERM) : real_adjtimex(t);
}

int i_ntp_adjtime(struct timex *t);
int i_ntp_adjtime(struct timex *t)
{
	return active() && t->modes ? fail(EPERM) : real_ntp_adjtime(t);
}

int i_timespec_get(struct timespec *t, int base);
int i_timespec_get(struct timespec *t, int base)
{
	if (!kept_here())
		return real_timespec_get(t, base);
	return base == TIME_UTC && !i_clock_gettime(CLOCK_REALTIME, t) ? base : 0;
}

int i_gettimeofday(struct timeval *t, void *zone);
int i_gettimeofday(struct timeval *t, void *zone)
{
	struct timespec now;

	if (!kept_here())
		return real_gettimeofday(t, zone);
	i_clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

int i_ftime(struct timeb *t);
int i_ftime(struct timeb *t)
{
	struct timespec now;

	i_clock_gettime(CLOCK_REALTIME, &now);
	zero(t, sizeof *t);
	t->time = now.tv_sec;
	t->millitm = (unsigned short)(now.tv_nsec / 1000000);
	return 0;
}

time_t i_time(time_t *t);
time_t i_time(time_t *t)
{
	time_t now;

	if (!kept_here())
		return real_time(t);
	now = in_child() ? child_now().tv_sec : EPOCH_SECONDS + (time_t)(microseconds() / 1000000);
	if (t)
		*t = now;
	return now;
}

clock_t i_clock(void);
clock_t i_clock(void)
{
	if (!active())
		return real_clock();
	return (clock_t)busy();
}

clock_t i_times(struct tms *t);
clock_t i_times(struct tms *t)
{
	clock_t ticks;

	if (in_child()) {
		const struct timespec now = child_now();

		ticks = real_times(t);
		return ticks == -1 ? ticks : (now.tv_sec - EPOCH_SECONDS) * 100 + now.tv_nsec / 10000000;
	}
	if (!active())
		return real_times(t);
	ticks = (clock_t)(microseconds() / 10000);
	if (t)
		*t = (struct tms){ .tms_utime = (clock_t)(rt->cur->busy / 10000), .tms_cutime = rt->reaped * OF_CHILD / 10000 };
	return ticks;
}

int i_getrusage(int who, struct rusage *r);
int i_getrusage(int who, struct rusage *r)
{
	uint64_t us;

	if (!active())
		return real_getrusage(who, r);
	if (who < RUSAGE_CHILDREN || who > RUSAGE_THREAD)
		return fail(EINVAL);
	us = who == RUSAGE_CHILDREN ? rt->reaped * OF_CHILD : busy();
	if (who == RUSAGE_THREAD)
		us = of_thread();
	zero(r, sizeof *r);
	r->ru_utime.tv_sec = (time_t)(us / 1000000);
	r->ru_utime.tv_usec = (suseconds_t)(us % 1000000);
	return 0;
}
