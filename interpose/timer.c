/* SPDX-License-Identifier: MIT
 *
 * alarm, setitimer, timer_create: timers in virtual time. One runs out when a thread sleeps past it, or when nobody
 * could go on otherwise: what threads compute takes no time to speak of. One that has run out, and whose signal nobody
 * has taken, runs out no more until then, as the kernel does it; how often it would have is its overrun. To set a timer,
 * to look at it, to make and to delete one are steps.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/unseen.h"
#include "timers.h"

#include <errno.h>
#include <limits.h>
#include <sys/time.h>

/* Part of the checkpoint. */
static struct timers {
	struct timer list[MAX_TIMERS];
} timers;

void timers_checkpoint(void)
{
	checkpoint_add((uintptr_t)&timers, (uintptr_t)(&timers + 1));
}

static uint64_t microseconds_of(uint64_t ns)
{
	return (ns + 999) / 1000;
}

/* That it runs out makes a difference. */
static bool has_effect(const struct timer *t)
{
	return t->armed && !t->queued && (t->sig || t->channel);
}

/* Of two that run out at the same moment, the one that was made first. `handled`: only with a handler; a signal that ends
 * the program is there for loops that go on for too long. */
static struct timer *next_before(uint64_t then, bool sleeping, bool handled)
{
	struct timer *next = NULL;

	for (unsigned i = 0; i < MAX_TIMERS; i++) {
		struct timer *t = &timers.list[i];

		if (has_effect(t) && !(sleeping && t->processor) && !(handled && !signal_has_handler(t->sig)) &&
		    microseconds_of(t->when) <= then && (!next || t->when < next->when))
			next = t;
	}
	return next;
}

bool timer_before(uint64_t then, uint64_t *when, bool sleeping)
{
	const struct timer *t = next_before(then, sleeping, false);

	if (t)
		*when = microseconds_of(t->when);
	return t != NULL;
}

void timers_sleep(uint64_t us)
{
	for (unsigned i = 0; i < MAX_TIMERS; i++)
		if (timers.list[i].armed && timers.list[i].processor)
			timers.list[i].when += us * 1000;
}

/* A handler that comes while others run is as possible. */
static void earlier_not_tried(void)
{
	unseen("a timer runs out only when a thread sleeps past it or nobody could go on otherwise: "
	       "that it does so earlier is not explored",
	       NULL);
}

void timer_is_early(unsigned channel, const struct readiness *ready)
{
	for (unsigned i = FIRST_TIMER; i < MAX_TIMERS; i++) {
		const struct timer *t = &timers.list[i];

		if (t->armed && t->channel && (rt->channels_joined || t->channel == channel) && !ready->is(ready)) {
			earlier_not_tried();
			return;
		}
	}
}

/* How often more has it run out by now? It goes on from there. */
static uint64_t forward(struct timer *t, uint64_t now)
{
	uint64_t times = 0;

	if (t->armed && t->interval && t->when <= now)
		times = (now - t->when) / t->interval + 1;
	t->when += times * t->interval;
	return times;
}

void timer_taken(struct timer *t)
{
	uint64_t times = forward(t, time_now() * 1000);

	t->queued = false;
	t->overrun = times < INT_MAX ? (int)times : INT_MAX;
}

int timer_signal_taken(unsigned timer)
{
	if (!timer)
		return 0;
	timer_taken(&timers.list[timer - 1]);
	return timers.list[timer - 1].overrun;
}

static void runs_out(struct timer *t)
{
	static const uint64_t one = 1;
	const unsigned i = (unsigned)(t - timers.list);

	t->armed = t->interval != 0;
	t->when += t->interval;
	if (!alone())
		earlier_not_tried();
	if (t->fd >= 0)
		sys3(SYS_write, t->fd, &one, sizeof one);
	if (t->notice.function)
		t->queued = true;
	else if (t->sig && i < FIRST_TIMER)
		signal_comes(NULL, t->sig, SI_KERNEL, 0);
	else if (t->sig)
		t->queued = timer_signal_comes(t->thread < 0 ? NULL : &rt->fibers[t->thread], t->sig, t->value, i + 1);
}

bool timers_run_out(uint64_t now, bool sleeping)
{
	struct timer *t;
	bool wakes = false;

	while ((t = next_before(now, sleeping, false))) {
		runs_out(t);
		wakes |= t->notice.function != NULL;
	}
	return wakes;
}

bool timers_interrupt(void)
{
	return next_before(UINT64_MAX, false, true) != NULL;
}

bool timer_comes(void)
{
	const struct timer *next = next_before(UINT64_MAX, false, true);
	uint64_t when;

	if (!next)
		return false;
	when = microseconds_of(next->when);
	fiber_comes_to(rt->cur, when, false);
	timers_run_out(when, false);
	return true;
}

static bool somebody_takes(void)
{
	for (uint64_t s = rt->ready | rt->blocked; s; s &= s - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(s)];

		if (takes(f) || ((f->pending.wait == WAIT_SIGNAL || f->pending.wait == WAIT_CHANNEL) &&
				 object_allows(f, &f->pending)))
			return true;
	}
	return false;
}

#define REAL_WAITS 200 /* of 10 ms: as long as the watchdog lets it */

/* Another process may send a signal, or pass something to this one. */
static bool others_let_go_on(void)
{
	const struct timespec a_bit = { 0, 10000000 };

	for (unsigned i = 0; i < REAL_WAITS; i++) {
		sys2(SYS_nanosleep, &a_bit, NULL);
		if (somebody_takes())
			return true;
	}
	return false;
}

/* Each timer at most once: what has no effect then has none later. Those of processor time only if somebody computes, in
 * a loop that waits. */
bool timers_let_go_on(void)
{
	const bool sleeping = !sched_enabled();
	uint64_t when = 0;

	if (UNLIKELY(rt->forked) && sleeping && others_let_go_on())
		return true;
	for (unsigned i = 0; i < MAX_TIMERS && timer_before(UINT64_MAX, &when, sleeping); i++) {
		if (sleeping && when > rt->cur->now)
			timers_sleep(when - rt->cur->now);
		for (unsigned k = 0; k < rt->nfibers; k++)
			fiber_comes_to(&rt->fibers[k], when, sleeping);
		timers_run_out(when, sleeping);
		if (somebody_takes())
			return true;
	}
	return false;
}

/* Where it runs out next, if that has no effect before. */
static uint64_t left(const struct timer *t)
{
	struct timer later = *t;
	uint64_t now = time_now() * 1000;

	forward(&later, now);
	return !later.armed || (!later.interval && !has_effect(t) && t->when <= now) ? 0
	       : later.when > now ? later.when - now : 1;
}

uint64_t timer_number(const struct timer *t)
{
	return (uint64_t)(t - timers.list);
}

void timer_changes(uint64_t number)
{
	send_step(SENT_TIMER(number));
}

void timer_looked_at(uint64_t number)
{
	if (alone())
		return;
	announce(LP_EV_READ, (void *)SENT_TIMER(number), 1, caller())->flags = LP_SITE_NOVALUE;
	step(rt->cur);
}

static void arm(struct timer *t, uint64_t after, uint64_t interval)
{
	if (after && t->sig)
		sends(SENDS_SIGNALS);
	if (after && (signal_has_handler(t->sig) || (t->sig && !alone())))
		earlier_not_tried();
	t->armed = after != 0;
	t->overrun = 0;
	t->when = time_now() * 1000 + after;
	t->interval = interval;
}

static struct timer *of_process(unsigned which)
{
	static const uint8_t sig[] = { SIGALRM, SIGVTALRM, SIGPROF };
	struct timer *t = &timers.list[which];

	t->made = true;
	t->sig = sig[which];
	t->processor = which != TIMER_REAL;
	t->thread = t->fd = -1;
	return t;
}

unsigned i_alarm(unsigned seconds);
unsigned i_alarm(unsigned seconds)
{
	struct timer *t;
	uint64_t before;

	if (!active())
		return real_alarm(seconds);
	t = of_process(TIMER_REAL);
	timer_changes(TIMER_REAL);
	before = left(t);
	arm(t, seconds * 1000000000UL, 0);
	return (unsigned)((before + 999999999) / 1000000000);
}

static struct timeval seconds_of(uint64_t ns)
{
	const uint64_t us = microseconds_of(ns);

	return (struct timeval){ (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };
}

static struct itimerval interval_of(const struct timer *t)
{
	return (struct itimerval){ .it_value = seconds_of(left(t)), .it_interval = seconds_of(t->interval) };
}

int i_getitimer(int which, struct itimerval *now);
int i_getitimer(int which, struct itimerval *now)
{
	const struct timer *t;

	if (!active())
		return real_getitimer(which, now);
	if (which < TIMER_REAL || which >= FIRST_TIMER)
		return fail(EINVAL);
	t = of_process((unsigned)which);
	timer_looked_at((uint64_t)which);
	*now = interval_of(t);
	return 0;
}

static bool valid_interval(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000;
}

static uint64_t nanoseconds_of(const struct timeval *t)
{
	return ((uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec) * 1000;
}

int i_setitimer(int which, const struct itimerval *new, struct itimerval *old);
int i_setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
	struct timer *t;

	if (!active())
		return real_setitimer(which, new, old);
	if (which < TIMER_REAL || which >= FIRST_TIMER || !valid_interval(&new->it_value) ||
	    !valid_interval(&new->it_interval))
		return fail(EINVAL);
	t = of_process((unsigned)which);
	timer_changes((uint64_t)which);
	if (old)
		*old = interval_of(t);
	arm(t, nanoseconds_of(&new->it_value), nanoseconds_of(&new->it_interval));
	return 0;
}

unsigned i_ualarm(unsigned us, unsigned interval);
unsigned i_ualarm(unsigned us, unsigned interval)
{
	struct timer *t;
	uint64_t before;

	if (!active())
		return real_ualarm(us, interval);
	t = of_process(TIMER_REAL);
	timer_changes(TIMER_REAL);
	before = left(t);
	arm(t, us * 1000UL, interval * 1000UL);
	return (unsigned)microseconds_of(before);
}

struct timer *timer_new(void)
{
	for (unsigned i = FIRST_TIMER; i < MAX_TIMERS; i++)
		if (!timers.list[i].made) {
			timers.list[i] = (struct timer){ .made = true, .thread = -1, .fd = -1 };
			return &timers.list[i];
		}
	return NULL;
}

/* What it has sent stays, but is not its own any more. */
void timer_gone(struct timer *t)
{
	for (uint32_t i = 0; i < rt->nsent; i++)
		if (rt->sent[i].timer == timer_number(t) + 1)
			rt->sent[i].timer = 0;
	zero(t, sizeof *t);
}

struct timer *timer_at(uint64_t number)
{
	return timers.list[number].made ? &timers.list[number] : NULL;
}

struct timer *timer_on(unsigned channel)
{
	for (unsigned i = FIRST_TIMER; i < MAX_TIMERS && channel; i++)
		if (timers.list[i].made && timers.list[i].channel == channel)
			return &timers.list[i];
	return NULL;
}

static struct timespec spec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

#define LONGEST (1UL << 60) /* nanoseconds: 36 years */

static uint64_t length_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec > LONGEST / 1000000000 ? LONGEST
							   : (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

void timer_tell(const struct timer *t, struct itimerspec *now)
{
	now->it_value = spec_of(left(t));
	now->it_interval = spec_of(t->interval);
}

bool valid_timer(const struct itimerspec *new)
{
	return valid_time(&new->it_value) && valid_time(&new->it_interval) && new->it_value.tv_sec >= 0 &&
	       new->it_interval.tv_sec >= 0;
}

void timer_set(struct timer *t, bool is_moment, const struct itimerspec *new)
{
	uint64_t after = length_of(&new->it_value), then = 0, now = time_now();

	if (after && is_moment) {
		if (t->processor) {
			then = microseconds_of(after);
			now = rt->cur->busy;
		} else {
			time_of(&new->it_value, &then);
		}
		after = then > now ? (then - now) * 1000 : 1;
	}
	arm(t, after, length_of(&new->it_interval));
}
