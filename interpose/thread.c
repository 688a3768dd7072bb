/* SPDX-License-Identifier: MIT
 *
 * Threads: create, join, detach, self, equal, yield, attributes. Creating a thread and joining a
 * finished one commute with everything else, so they are notes in the log, not steps. Only a join
 * that does not wait sees whether the thread has ended; where a program has one, the end of each
 * thread is a step, too.
 */
#include "../runtime/explore.h"
#include "../runtime/leaks.h"
#include "../runtime/steps.h"
#include "../runtime/trace.h"
#include "../runtime/twins.h"
#include "sending.h"
#include "thread.h"

#include <errno.h>
#include <limits.h>

#define STACK_ALIGNED 64UL /* what libc makes is that */

/* What the attribute says of the stack; false: nothing. */
static bool stack_of(const pthread_attr_t *attr, struct stack_asked *asked)
{
	void *base;
	size_t size;

	if (real_pthread_attr_getstack(attr, &base, &size) || !size)
		return false;
	asked->size = size;
	asked->base = (uintptr_t)base + size ? (uintptr_t)base : 0; /* ends at 0: none is given */
	if (asked->base && size < GIVEN_LEAST)
		trace_note("a thread runs on a stack of its own, for the one that it is given is "
			   "smaller than 64 KiB");
	return true;
}

struct fiber *thread_made(void *(*start)(void *), void *arg, const pthread_attr_t *attr)
{
	int detach = PTHREAD_CREATE_JOINABLE;
	struct stack_asked asked = { 0, 0 };
	size_t guard = PAGE;
	struct fiber *f;

	if (attr) {
		real_pthread_attr_getdetachstate(attr, &detach);
		real_pthread_attr_getguardsize(attr, &guard);
		stack_of(attr, &asked);
	}
	announce(LP_EV_CREATE, NULL, 0, caller());
	f = fiber_new(start, arg, detach == PTHREAD_CREATE_DETACHED, &asked);
	f->stack_asked = asked.size;
	f->guard = asked.base ? 0 : round_up(guard, PAGE);
	identity_new(f, attr);
	copy(f->name, rt->cur->name, sizeof f->name);
	note(rt->cur, LP_EV_CREATE, 0, f->id);
	rt->unjoined++;
	set_tracing();
	twins_created(f);
	return f;
}

int i_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg);
int i_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg)
{
	pthread_attr_t usual;
	int r;

	child_has_no_threads();
	if (!active())
		return real_pthread_create(thread, attr, start, arg);
	if (!attr && program_state.usual_attributes && !real_pthread_getattr_default_np(&usual)) {
		r = i_pthread_create(thread, &usual, start, arg);
		real_pthread_attr_destroy(&usual);
		return r;
	}
	r = attr ? attributes_forbid(attr) : 0;
	if (!r)
		*thread = (pthread_t)thread_made(start, arg, attr)->handle;
	return r;
}

int i_pthread_setattr_default_np(const pthread_attr_t *attr);
int i_pthread_setattr_default_np(const pthread_attr_t *attr)
{
	if (active())
		program_state.usual_attributes = program_state_changed = true;
	return real_pthread_setattr_default_np(attr);
}

/* May f be joined? 0 or an error. What libc cannot know, as the thread is gone, is a misuse. */
static int joinable(const struct fiber *f)
{
	if (!f)
		return ESRCH;
	if (f == rt->cur)
		end_misuse(NULL, "a thread joins itself", NULL, 0);
	if (f->joined)
		end_misuse(NULL, "join of a thread that was joined before", &f->joined_at,
			   LP_WAIT_JOINED);
	return f->detached || f->joiner ? EINVAL : 0;
}

void thread_is_after(struct fiber *me, const struct fiber *f)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (f->clock[i] > me->clock[i])
			me->clock[i] = f->clock[i];
	time_is_after(me, f);
}

/* f has finished. */
static void joined(struct fiber *f, void **retval)
{
	struct fiber *me = rt->cur;

	if (!me->id)
		leaks_main_joins();
	f->joined = 1;
	f->joined_at = place_here();
	settle();
	thread_is_after(me, f);
	note(me, LP_EV_JOIN, 0, f->id);
	if (retval)
		*retval = f->retval;
	twins_joined(f, retval != NULL);
	rt->unjoined--;
	set_tracing();
}

/* The ends of threads are steps from now on; when that is first seen, the exploration begins
 * again. */
static void watch_ends(void)
{
	if (rt->ends_watched)
		return;
	rt->ends_watched = 1;
	rt->need_restart = 1;
	abandon_execution();
}

bool thread_is_there(const struct fiber *f)
{
	if (f == rt->cur)
		return true;
	watch_ends();
	if (!alone()) {
		announce(LP_EV_READ, (void *)f->handle, 1, caller())->flags = LP_SITE_NOVALUE;
		step(rt->cur);
	}
	return f->state != FIBER_FINISHED;
}

/* libc acts on a cancellation in a join only if that has to wait. So where one was seen to come there, whether the thread
 * has ended is looked at first. */
static bool join_waits(const struct fiber *f)
{
	return !(rt->sends & SENDS_CANCEL && rt->ends_watched) || rt->cur->cancel_off || thread_is_there(f);
}

/* Where threads are sent something, it makes a difference whether that comes before a join or behind it:
 * then it is a step. */
static void join_step(struct fiber *f)
{
	struct pending *p;

	if (alone())
		return;
	p = announce(LP_EV_READ, (void *)f->handle, 1, caller());
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_JOIN;
	p->expected = f->id;
	interruptible(p, BY_CANCEL | BY_RETURN);
	if (step(rt->cur)->kind == LP_EV_TAKE) {
		watch_ends();
		f->joiner = 0;
		cancelled();
	}
	thread_is_after(rt->cur, f); /* the step itself, too */
	announce(LP_EV_JOIN, NULL, 0, caller());
}

int i_pthread_join(pthread_t thread, void **retval);
int i_pthread_join(pthread_t thread, void **retval)
{
	struct fiber *f, *me = rt_there ? rt->cur : NULL;
	bool waits;
	int r;

	if (!active())
		return real_pthread_join(thread, retval);
	f = fiber_to_join((uint64_t)thread);
	if (!f && thread)
		touch((const volatile void *)thread);
	r = joinable(f);
	if (r)
		return r;
	f->joiner = me->id + 1;
	waits = join_waits(f);
	announce(LP_EV_JOIN, NULL, 0, caller())->wait = WAIT_JOIN;
	me->pending.expected = f->id;
	if (!waits) {
		me->pending.wait = WAIT_NOT;
	} else if (UNLIKELY(rt->sends)) {
		join_step(f);
	} else if (f->state != FIBER_FINISHED) {
		if (UNLIKELY(rt->blocks))
			steps_wait(me);
		rt->blocked |= bit(me->id);
		schedule_blocked();
		rt->blocked &= ~bit(me->id);
	}
	f->joiner = 0;
	joined(f, retval);
	return 0;
}

/* What is sent to a thread after its last step may still come before its end. */
static void last_signals(void)
{
	struct fiber *f = rt->cur;

	if (alone() || !((rt->sends & SENDS_CAUGHT && ~f->mask) || f->cancel_async))
		return;
	announce(LP_EV_YIELD, NULL, 0, (uint64_t)f->start + 1);
	step(f);
}

/* Called when the running fiber has nothing more to do. */
void end_is_seen(void)
{
	struct fiber *f = rt->cur;

	if (UNLIKELY(rt->ends_watched) && !alone()) {
		announce(LP_EV_OBJECT_INIT, (void *)f->handle, 1, (uint64_t)f->start + 1)->flags =
			LP_SITE_NOVALUE;
		step(f);
	} else if (UNLIKELY(rt->sends & SENDS_SIGNALS)) {
		last_signals();
	}
}

/* Without waiting: it has ended, or the join fails so. */
static int join_now(pthread_t thread, void **retval, int failure)
{
	struct fiber *f = thread ? thread_of(thread) : NULL;
	struct pending *p;
	int r;

	if (f == rt->cur)
		return failure == ETIMEDOUT ? EDEADLK : EBUSY;
	r = joinable(f);
	if (r)
		return r;
	watch_ends();
	if (alone() && failure == ETIMEDOUT) {
		cancellation_point();
	} else if (!alone()) {
		p = announce(LP_EV_READ, (void *)f->handle, 1, caller());
		p->flags = LP_SITE_NOVALUE;
		interruptible(p, failure == ETIMEDOUT ? BY_CANCEL : 0);
		step(rt->cur);
	}
	if (f->state != FIBER_FINISHED)
		return failure;
	announce(LP_EV_JOIN, NULL, 0, caller());
	joined(f, retval);
	return 0;
}

int i_pthread_tryjoin_np(pthread_t thread, void **retval);
int i_pthread_tryjoin_np(pthread_t thread, void **retval)
{
	if (!active())
		return real_pthread_tryjoin_np(thread, retval);
	return join_now(thread, retval, EBUSY);
}

static int join_until(pthread_t thread, void **retval, const struct timespec *until)
{
	int r;

	if (!until)
		return i_pthread_join(thread, retval);
	if (!valid_time(until))
		return EINVAL;
	do {
		wait_until(until);
		r = join_now(thread, retval, ETIMEDOUT);
	} while (wait_over(until, r == ETIMEDOUT));
	return r;
}

int i_pthread_timedjoin_np(pthread_t thread, void **retval, const struct timespec *until);
int i_pthread_timedjoin_np(pthread_t thread, void **retval, const struct timespec *until)
{
	if (!active())
		return real_pthread_timedjoin_np(thread, retval, until);
	return join_until(thread, retval, until);
}

int i_pthread_clockjoin_np(pthread_t thread, void **retval, clockid_t clock,
			   const struct timespec *until);
int i_pthread_clockjoin_np(pthread_t thread, void **retval, clockid_t clock,
			   const struct timespec *until)
{
	if (!active())
		return real_pthread_clockjoin_np(thread, retval, clock, until);
	return clock_to_wait(clock) ? join_until(thread, retval, until) : EINVAL;
}

int i_pthread_detach(pthread_t thread);
int i_pthread_detach(pthread_t thread)
{
	struct fiber *f;

	if (!active())
		return real_pthread_detach(thread);
	f = thread ? thread_of(thread) : NULL;
	if (!f)
		return ESRCH;
	if (f->joined)
		end_misuse(NULL, "detach of a thread that was joined before", &f->joined_at,
			   LP_WAIT_JOINED);
	if (f->detached)
		return EINVAL;
	f->detached = 1;
	return 0;
}

pthread_t i_pthread_self(void);
pthread_t i_pthread_self(void)
{
	if (!active())
		return real_pthread_self();
	twin_asks(rt->cur);
	return (pthread_t)rt->cur->handle;
}

struct libc_attr { /* what pthread_attr_t begins with */
	int priority, policy;
};

int i_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);
int i_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	struct fiber *f;
	uintptr_t lo;
	size_t size;
	int r;

	if (!active())
		return real_pthread_getattr_np(thread, attr);
	f = thread_of(thread);
	if (!f)
		return ESRCH;
	lo = f->stack_lo;
	size = f->stack_hi - lo;
	if (f->given_stack) {
		size = f->stack_asked;
	} else if (f->stack_asked && f->stack_asked < size) {
		size = f->stack_asked & ~(STACK_ALIGNED - 1);
		lo = f->stack_hi - size;
	}
	r = real_pthread_attr_init(attr);
	if (!r && f->detached)
		r = real_pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	if (!r) {
		/* libc's functions do not take each that it has. */
		((struct libc_attr *)attr)->priority = f->priority;
		((struct libc_attr *)attr)->policy = f->policy;
	}
	if (!r)
		r = real_pthread_attr_setstack(attr, (void *)lo, size);
	return r ? r : real_pthread_attr_setguardsize(attr, f->id ? f->guard : 0);
}

int i_pthread_equal(pthread_t a, pthread_t b);
int i_pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

int i_sched_yield(void);
int i_sched_yield(void)
{
	if (!active())
		return (int)sys0(SYS_sched_yield);
	if (!alone()) {
		announce(LP_EV_YIELD, NULL, 0, caller());
		step(rt->cur);
	}
	return 0;
}
