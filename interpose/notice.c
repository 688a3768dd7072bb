/* SPDX-License-Identifier: MIT
 *
 * SIGEV_THREAD: a notice that becomes a thread. A timer that does so has a thread of its own, as libc has one for all of
 * them: it waits until the timer runs out, and then makes one that calls the program's function. Both are like any
 * other; only what the program waits for is never the former.
 */
#include "../runtime/call_stack.h"
#include "thread.h"
#include "timers.h"

#include <errno.h>

void notice_of(struct notice *n, const struct sigevent *event)
{
	const pthread_attr_t *attr = event->sigev_notify_attributes;

	n->function = (void *(*)(void *))(uintptr_t)event->sigev_notify_function;
	n->value = event->sigev_value.sival_ptr;
	if (attr)
		attributes_without_extension(&n->attr, attr);
	else
		real_pthread_attr_init(&n->attr);
	real_pthread_attr_setdetachstate(&n->attr, PTHREAD_CREATE_DETACHED);
}

void notice_comes(const struct notice *n)
{
	thread_made(n->function, n->value, &n->attr)->mask = 0;
}

/* ---- the thread of a timer ---- */

struct runs_out {
	struct readiness is;
	const struct timer *timer;
};

static bool has_run_out(const struct readiness *is)
{
	const struct timer *t = ((const struct runs_out *)is)->timer;

	return t->queued || !t->made;
}

static bool never_missed(const struct readiness *is)
{
	(void)is;
	return false;
}

/* It knows of its own which have ended, so that others may have their places. */
static void look_after(struct fiber *me)
{
	for (unsigned i = 1; i < rt->nfibers; i++)
		if (rt->fibers[i].parent == me->id && rt->fibers[i].state == FIBER_FINISHED)
			thread_is_after(me, &rt->fibers[i]);
}

/* Its calls are those of the place where the timer was made. */
static void *serves(void *timer)
{
	struct timer *t = timer;
	const unsigned channel = t->channel;
	const struct runs_out r = { { has_run_out, never_missed }, t };
	static uint64_t calls[MAX_FIBERS][ENTRY_SP + 1];

	rt->entry = calls[rt->cur->id];
	rt->entry[ENTRY_PC] = t->pc;
	rt->cur->context = t->context;
	for (;;) {
		channel_step(channel, LP_EV_RMW, &r.is, false, 0);
		if (!t->made || t->channel != channel)
			return NULL;
		timer_taken(t);
		look_after(rt->cur);
		notice_comes(&t->notice);
	}
}

void timer_thread_begins(struct timer *t)
{
	struct fiber *f;

	t->channel = channel_unseen();
	t->pc = caller();
	context_now(rt->cur);
	t->context = rt->cur->context;
	f = thread_made(serves, t, &t->notice.attr);
	f->mask = UINT64_MAX;
	f->serves = 1;
}
