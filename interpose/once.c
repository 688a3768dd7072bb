/* SPDX-License-Identifier: MIT
 *
 * pthread_once and call_once. An initialiser that throws, or whose thread ends in it, has not run:
 * the next thread does it again.
 */
#include "unwind.h"

#include <unwind.h>

void once_call(void (*init)(void)); /* once.S */

static void leave(struct once_running *r, int state)
{
	rt->cur->once = r->outer;
	if (!alone()) {
		announce(LP_EV_UNLOCK, r->once, 1, r->pc)->flags = LP_SITE_NOVALUE;
		step(rt->cur);
	}
	*r->once = state;
}

/* Control leaves the innermost initialiser, and does not come back. */
void once_abandoned(void)
{
	callbacks_left(rt->cur, (uintptr_t)rt->cur->once);
	leave(rt->cur->once, ONCE_NEW);
}

/* The unwinder is at the frame of once_call(). */
_Unwind_Reason_Code once_personality(int version, _Unwind_Action actions, uint64_t class,
				     struct _Unwind_Exception *exception,
				     struct _Unwind_Context *context);
_Unwind_Reason_Code once_personality(int version, _Unwind_Action actions, uint64_t class,
				     struct _Unwind_Exception *exception,
				     struct _Unwind_Context *context)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & _UA_CLEANUP_PHASE && rt->cur->once) {
		uint64_t *entry = rt->entry;

		once_abandoned();
		rt->entry = entry;
	}
	return _URC_CONTINUE_UNWIND;
}

int i_pthread_once(pthread_once_t *once, void (*init)(void));
int i_pthread_once(pthread_once_t *once, void (*init)(void))
{
	struct once_running r = { .once = once };

	/* Of the threads of a child of fork only this one is there, so nobody else runs it. */
	if (in_child() && *once == ONCE_RUNNING)
		*once = ONCE_NEW;
	if (!active())
		return real_pthread_once(once, init);
	r.pc = caller();
	if (alone() && *once != ONCE_RUNNING) {
		if (*once == ONCE_DONE)
			return 0;
	} else if (object_step(LP_EV_ONCE, once, WAIT_ONCE, false)->kind == LP_EV_READ) {
		return 0;
	}
	*once = ONCE_RUNNING;
	r.outer = rt->cur->once;
	rt->cur->once = &r;
	once_call(init);
	leave(&r, ONCE_DONE);
	return 0;
}

void i_call_once(pthread_once_t *flag, void (*init)(void));
void i_call_once(pthread_once_t *flag, void (*init)(void))
{
	i_pthread_once(flag, init);
}
