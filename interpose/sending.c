/* SPDX-License-Identifier: MIT
 *
 * Sending to threads: pthread_cancel, and what signals have in common with it.
 *
 * To send is a step. What was sent is taken by a step of the thread that gets it, in place of the one that
 * it has announced: before it, a signal's handler runs, or the thread ends. A thread that waits can take
 * it, too, if its call may be interrupted so. All steps of threads that may take something read the
 * place to which it is sent, so sending has an order with them. Only programs that send anything pay
 * for that: the exploration begins again when it is first seen.
 */
#include "sending.h"
#include "../runtime/explore.h"
#include "unwind.h"

#include <errno.h>

void sends(unsigned what)
{
	if (what == SENDS_SIGNALS && signals_caught())
		what |= SENDS_CAUGHT;
	if ((rt->sends & what) == what)
		return;
	rt->sends |= (uint8_t)what;
	rt->need_restart = 1;
	abandon_execution();
}

void send_step(uint64_t place)
{
	struct pending *p;

	if (alone())
		return;
	p = announce(LP_EV_SEND, (void *)place, 1, caller());
	p->flags = LP_SITE_NOVALUE;
	if (place == SENT_PROCESS)
		p->addr2 = SENT_QUEUE;
	step(rt->cur);
}

void signals_first(void)
{
	struct fiber *f = rt->cur;

	if (LIKELY(!(rt->sends & SENDS_CAUGHT)) || alone() || !~f->mask)
		return;
	announce(LP_EV_YIELD, NULL, 0, caller());
	step(f);
}

void cancel_first(void)
{
	struct fiber *f = rt_there ? rt->cur : NULL;

	if (!f || LIKELY(!f->cancel_async) || f->cancel_off || !active() || alone())
		return;
	announce(LP_EV_YIELD, NULL, 0, caller());
	step(f);
}

bool take_now(void)
{
	struct fiber *f = rt->cur;
	unsigned interrupt = f->pending.interrupt;
	uint32_t handlers = f->handlers;

	for (;;) {
		f->pending.interrupt = 0;
		f->pending.wait = WAIT_NOT;
		if (!takes(f))
			break;
		if (alone() || !rt->sends) { /* its own, and nobody sees when */
			uint64_t *entry = rt->entry;

			sent_is_taken(0);
			rt->entry = entry;
			continue;
		}
		interruptible(announce(LP_EV_YIELD, NULL, 0, caller()), 0);
		step(f);
	}
	f->pending.interrupt = (uint8_t)interrupt;
	return f->handlers != handlers;
}

/* Does a handler that has run end such a call? */
static bool ends_call(unsigned interrupt)
{
	return interrupt & (BY_ANY_SIGNAL | BY_RESTART) || (interrupt & BY_SIGNAL && !rt->cur->anew);
}

bool interrupted_since(uint32_t handlers, unsigned interrupt)
{
	return rt->cur->handlers != handlers && ends_call(interrupt);
}

bool sent_is_taken(unsigned interrupt)
{
	struct fiber *f = rt->cur;
	struct sent s;
	siginfo_t said;
	uint32_t handlers;
	int i, flags;

	if (f->cancelled && !f->cancel_off && !f->ending &&
	    (interrupt & BY_CANCEL || f->cancel_async)) {
		if (interrupt & BY_RETURN)
			return true;
		cancelled();
	}
	i = signal_to_take(f);
	if (i < 0)
		return false;
	s = signal_dequeued(i, &said);
	handlers = f->handlers;
	flags = signal_taken(&s, &said);
	if (f->handlers == handlers) /* it is ignored: nothing has happened to the call */
		return false;
	f->anew = (flags & SA_RESTART) != 0;
	return ends_call(interrupt);
}

void cancelled(void)
{
	rt->cur->cancel_off = 1;
	end_thread(PTHREAD_CANCELED);
}

void cancellation_point(void)
{
	struct fiber *f = rt->cur;

	if (LIKELY(!(rt->sends & SENDS_CANCEL)) || f->cancel_off || (f->no_point && !f->cancel_async))
		return;
	if (!alone()) {
		struct pending *p = announce(LP_EV_READ, (void *)SENT_THREAD(f), 1, caller());

		p->flags = LP_SITE_NOVALUE;
		interruptible(p, BY_CANCEL);
		step(f);
	} else if (f->cancelled && !f->ending) {
		cancelled();
	}
}

/* A thread of a child of fork can only cancel itself. */
static void cancelled_in_child(void)
{
	if (rt->cur->cancelled && !rt->cur->cancel_off && !rt->cur->ending)
		cancelled();
}

int i_pthread_cancel(pthread_t thread);
int i_pthread_cancel(pthread_t thread)
{
	struct fiber *f;

	if (in_child() && pthread_equal(thread, pthread_self())) {
		rt->cur->cancelled = 1;
		if (rt->cur->cancel_async)
			cancelled_in_child();
		return 0;
	}
	if (!active())
		return real_pthread_cancel(thread);
	f = thread_of(thread);
	if (!f)
		return ESRCH;
	sends(SENDS_CANCEL);
	send_step(SENT_THREAD(f));
	if (f->joined)
		return ESRCH;
	if (f->state == FIBER_FINISHED)
		return 0;
	f->cancelled = 1;
	if (f == rt->cur && f->cancel_async && !f->cancel_off)
		cancelled();
	return 0;
}

int i_pthread_setcancelstate(int state, int *old);
int i_pthread_setcancelstate(int state, int *old)
{
	struct fiber *f = rt_there ? rt->cur : NULL;

	if (in_child())
		f->cancel_off = state == PTHREAD_CANCEL_DISABLE;
	if (!active())
		return real_pthread_setcancelstate(state, old);
	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	cancel_first();
	if (old)
		*old = f->cancel_off && !f->ending ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
	f->cancel_off = state == PTHREAD_CANCEL_DISABLE || f->ending;
	if (f->cancelled && f->cancel_async && !f->cancel_off && !f->ending)
		cancelled();
	return 0;
}

int i_pthread_setcanceltype(int type, int *old);
int i_pthread_setcanceltype(int type, int *old)
{
	struct fiber *f = rt_there ? rt->cur : NULL;

	if (in_child())
		f->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (!active())
		return real_pthread_setcanceltype(type, old);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	cancel_first();
	if (old)
		*old = f->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	if (type == PTHREAD_CANCEL_ASYNCHRONOUS && !alone())
		sends(SENDS_SIGNALS);
	f->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (f->cancelled && f->cancel_async && !f->cancel_off && !f->ending)
		cancelled();
	return 0;
}

void i_pthread_testcancel(void);
void i_pthread_testcancel(void)
{
	if (active())
		cancellation_point();
	else if (in_child())
		cancelled_in_child();
}
