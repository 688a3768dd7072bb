/* SPDX-License-Identifier: MIT
 *
 * alarm, setitimer, timer_create: timers that send signals, in virtual time. One runs out when a thread
 * sleeps past it, or when nobody could go on otherwise: what threads compute takes no time to speak of.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/unseen.h"
#include "channels.h"
#include "clock.h"
#include "sending.h"

#include <errno.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#define MAX_TIMERS 32 /* the first is that of alarm and setitimer */

/* Part of the checkpoint. */
static struct timers {
	struct timer {
		bool made, armed;
		uint64_t when, interval; /* microseconds */
		int sig;                 /* 0: it sends nothing */
		uint64_t value;
		int thread; /* fiber; -1: the process */
		unsigned channel; /* of a timer that is a descriptor; 0 */
		int fd;           /* an end of that, an event, to which it writes */
	} list[MAX_TIMERS];
} timers;

void timers_checkpoint(void)
{
	checkpoint_add((uintptr_t)&timers, (uintptr_t)(&timers + 1));
}

bool timer_before(uint64_t then, uint64_t *when)
{
	bool any = false;

	for (unsigned i = 0; i < MAX_TIMERS; i++) {
		const struct timer *t = &timers.list[i];

		if (t->armed && t->when <= then && (!any || t->when < *when)) {
			*when = t->when;
			any = true;
		}
	}
	return any;
}

/* A handler that comes while others run is as possible. */
static void earlier_not_tried(void)
{
	unseen("a timer runs out only when a thread sleeps past it or nobody could go on otherwise: "
	       "that it does so earlier is not explored",
	       NULL);
}

void timers_run_out(uint64_t now)
{
	static const uint64_t one = 1;

	for (unsigned i = 0; i < MAX_TIMERS; i++) {
		struct timer *t = &timers.list[i];

		if (!t->armed || t->when > now)
			continue;
		t->armed = t->interval;
		t->when += t->interval;
		if ((t->sig || t->channel) && !alone())
			earlier_not_tried();
		if (t->channel)
			sys3(SYS_write, t->fd, &one, sizeof one);
		if (!t->sig)
			continue;
		signal_comes(t->thread < 0 ? NULL : &rt->fibers[t->thread], t->sig,
			     i ? SI_TIMER : SI_KERNEL, t->value);
	}
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

/* Each timer at most once: what has no effect then has none later. */
bool timers_let_go_on(void)
{
	uint64_t when = 0;

	for (unsigned i = 0; i < MAX_TIMERS && timer_before(UINT64_MAX, &when); i++) {
		for (unsigned k = 0; k < rt->nfibers; k++)
			if (rt->fibers[k].now < when)
				rt->fibers[k].now = when;
		timers_run_out(when);
		if (somebody_takes())
			return true;
	}
	return false;
}

static uint64_t left(const struct timer *t)
{
	uint64_t now = time_now();

	return !t->armed ? 0 : t->when > now ? t->when - now : 1;
}

static void arm(struct timer *t, uint64_t after, uint64_t interval)
{
	if (after && t->sig)
		sends(SENDS_SIGNALS);
	if (after && signal_has_handler(t->sig))
		earlier_not_tried();
	t->armed = after != 0;
	t->when = time_now() + after;
	t->interval = interval;
}

static struct timer *of_process(void)
{
	struct timer *t = &timers.list[0];

	t->made = true;
	t->sig = SIGALRM;
	t->thread = -1;
	return t;
}

unsigned i_alarm(unsigned seconds);
unsigned i_alarm(unsigned seconds)
{
	struct timer *t;
	uint64_t before;

	if (!active())
		return real_alarm(seconds);
	t = of_process();
	before = left(t);
	arm(t, seconds * 1000000UL, 0);
	return (unsigned)((before + 999999) / 1000000);
}

static struct timeval seconds_of(uint64_t us)
{
	return (struct timeval){ (time_t)(us / 1000000), (suseconds_t)(us % 1000000) };
}

int i_getitimer(int which, struct itimerval *t);
int i_getitimer(int which, struct itimerval *t)
{
	if (!active())
		return real_getitimer(which, t);
	if (which != ITIMER_REAL)
		return which == ITIMER_VIRTUAL || which == ITIMER_PROF
			       ? (zero(t, sizeof *t), 0)
			       : fail(EINVAL);
	t->it_value = seconds_of(left(of_process()));
	t->it_interval = seconds_of(of_process()->interval);
	return 0;
}

int i_setitimer(int which, const struct itimerval *new, struct itimerval *old);
int i_setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
	if (!active())
		return real_setitimer(which, new, old);
	if (which == ITIMER_VIRTUAL || which == ITIMER_PROF)
		die("the program sets a timer of processor time, which is not supported: use "
		    "ITIMER_REAL");
	if (which != ITIMER_REAL || new->it_value.tv_usec < 0 || new->it_value.tv_usec > 999999)
		return fail(EINVAL);
	if (old)
		i_getitimer(which, old);
	arm(of_process(), (uint64_t)new->it_value.tv_sec * 1000000 + (uint64_t)new->it_value.tv_usec,
	    (uint64_t)new->it_interval.tv_sec * 1000000 + (uint64_t)new->it_interval.tv_usec);
	return 0;
}

unsigned i_ualarm(unsigned us, unsigned interval);
unsigned i_ualarm(unsigned us, unsigned interval)
{
	struct timer *t;
	uint64_t before;

	if (!active())
		return real_ualarm(us, interval);
	t = of_process();
	before = left(t);
	arm(t, us, interval);
	return (unsigned)before;
}

/* One that is not made yet; NULL: there is none. */
static struct timer *timer_new(void)
{
	for (unsigned i = 1; i < MAX_TIMERS; i++)
		if (!timers.list[i].made)
			return &timers.list[i];
	return NULL;
}

static uint64_t number_of(const struct timer *t)
{
	return (uint64_t)(t - timers.list);
}

int i_timer_create(clockid_t clock, struct sigevent *event, timer_t *id);
int i_timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
	struct timer *t;

	if (!active())
		return real_timer_create(clock, event, id);
	if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0)
		die("the program makes a timer of processor time, which is not supported: use CLOCK_MONOTONIC");
	if (!clock_to_wait(clock) && clock != CLOCK_BOOTTIME)
		return fail(EINVAL);
	if (event && event->sigev_notify == SIGEV_THREAD)
		die("the program makes a timer with SIGEV_THREAD, which is not supported: it would "
		    "make a thread that is not scheduled; use SIGEV_SIGNAL");
	t = timer_new();
	if (!t)
		return fail(EAGAIN);
	*t = (struct timer){ .made = true, .sig = SIGALRM, .value = number_of(t), .thread = -1 };
	if (event) {
		t->sig = event->sigev_notify == SIGEV_NONE ? 0 : event->sigev_signo;
		t->value = (uint64_t)event->sigev_value.sival_ptr;
		if (event->sigev_notify == SIGEV_THREAD_ID) {
			struct fiber *f = fiber_of_id(event->_sigev_un._tid);

			if (!f)
				return t->made = false, fail(EINVAL);
			t->thread = f->id;
		}
	}
	*id = (timer_t)number_of(t);
	return 0;
}

static void timer_gone(struct timer *t)
{
	zero(t, sizeof *t);
}

static struct timer *timer_of(timer_t id)
{
	uintptr_t i = (uintptr_t)id;

	return i && i < MAX_TIMERS && timers.list[i].made ? &timers.list[i] : NULL;
}

static struct timespec spec_of(uint64_t us)
{
	return (struct timespec){ (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };
}

static uint64_t length_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000 + ((uint64_t)t->tv_nsec + 999) / 1000;
}

static void tell(const struct timer *t, struct itimerspec *now)
{
	now->it_value = spec_of(left(t));
	now->it_interval = spec_of(t->interval);
}

int i_timer_gettime(timer_t id, struct itimerspec *now);
int i_timer_gettime(timer_t id, struct itimerspec *now)
{
	struct timer *t;

	if (!active())
		return real_timer_gettime(id, now);
	t = timer_of(id);
	if (!t)
		return fail(EINVAL);
	tell(t, now);
	return 0;
}

static void set(struct timer *t, bool is_moment, const struct itimerspec *new)
{
	uint64_t after = length_of(&new->it_value), then;

	if (after && is_moment)
		after = time_of(&new->it_value, &then) && then > time_now() ? then - time_now() : 1;
	arm(t, after, length_of(&new->it_interval));
}

int i_timer_settime(timer_t id, int flags, const struct itimerspec *new, struct itimerspec *old);
int i_timer_settime(timer_t id, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct timer *t;

	if (!active())
		return real_timer_settime(id, flags, new, old);
	t = timer_of(id);
	if (!t || !valid_time(&new->it_value) || !valid_time(&new->it_interval))
		return fail(EINVAL);
	if (old)
		i_timer_gettime(id, old);
	set(t, flags & TIMER_ABSTIME, new);
	return 0;
}

int i_timer_getoverrun(timer_t id);
int i_timer_getoverrun(timer_t id)
{
	if (!active())
		return real_timer_getoverrun(id);
	return timer_of(id) ? 0 : fail(EINVAL);
}

int i_timer_delete(timer_t id);
int i_timer_delete(timer_t id)
{
	struct timer *t;

	if (!active())
		return real_timer_delete(id);
	t = timer_of(id);
	if (!t)
		return fail(EINVAL);
	timer_gone(t);
	return 0;
}

/* ---- timers that are descriptors: events, of which libc's functions count the times ---- */

int i_timerfd_create(int clock, int flags);
int i_timerfd_create(int clock, int flags)
{
	struct timer *t;
	int fd;

	if (!active())
		return real_timerfd_create(clock, flags);
	fd = event_made(0, flags, TIMER);
	if (fd < 0)
		return fd;
	t = timer_new();
	if (!t) {
		channel_gone(fd);
		real_close(fd);
		return fail(ENFILE);
	}
	*t = (struct timer){ .made = true, .channel = channel_of(fd), .fd = fd, .thread = -1 };
	return fd;
}

static struct timer *timer_on(unsigned channel)
{
	for (unsigned i = 1; i < MAX_TIMERS && channel; i++)
		if (timers.list[i].made && timers.list[i].channel == channel)
			return &timers.list[i];
	return NULL;
}

void timer_closed(unsigned channel, int other)
{
	struct timer *t = timer_on(channel);

	if (!t)
		return;
	if (other < 0)
		timer_gone(t);
	else
		t->fd = other;
}

int i_timerfd_gettime(int fd, struct itimerspec *now);
int i_timerfd_gettime(int fd, struct itimerspec *now)
{
	const struct timer *t = active() ? timer_on(channel_use(fd, LP_EV_READ)) : NULL;

	if (!t)
		return real_timerfd_gettime(fd, now);
	tell(t, now);
	return 0;
}

int i_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old);
int i_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct timer *t = active() ? timer_on(channel_use(fd, LP_EV_RMW)) : NULL;
	struct ready counting = ready_for(fd, POLLIN);
	uint64_t counted;

	if (!t)
		return real_timerfd_settime(fd, flags, new, old);
	if (!valid_time(&new->it_value) || !valid_time(&new->it_interval))
		return fail(EINVAL);
	if (old)
		tell(t, old);
	if (counting.is.is(&counting.is)) /* what has run out is forgotten */
		sys3(SYS_read, fd, &counted, sizeof counted);
	set(t, flags & TFD_TIMER_ABSTIME, new);
	return 0;
}
