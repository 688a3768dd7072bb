/* SPDX-License-Identifier: MIT
 *
 * Variables that C++ code makes when control first comes to them (static in a function): the three
 * functions of the C++ ABI (Itanium C++ ABI, 3.3.3, "Once-only initialization API"). Compilers test
 * the first byte of the guard themselves; if it is zero they call acquire, and after the
 * initialization release, or abort if it threw. The second half of the guard is ours: a state as of
 * pthread_once, so that who comes meanwhile waits, and who comes to its own initialization again
 * waits for ever.
 *
 * Also used before executions begin, by constructors: there is then nothing to schedule, but there
 * may be real threads.
 */
#include "../runtime/modules.h"
#include "../runtime/unseen.h"
#include "interpose.h"

struct guard {
	uint8_t done; /* what compiled code looks at */
	uint8_t unused[3];
	int state; /* ONCE_* */
};

/* In code of the system nobody sees the test of the first byte, so the order of who comes first is not reversed. */
static void made_unseen(uint64_t pc)
{
	if (!module_is_program(pc))
		unseen("a library of the system makes a variable of its own when a thread comes to it for the first time (static in "
		       "a function): which thread that is is not explored",
		       NULL);
}

int i___cxa_guard_acquire(struct guard *g);
int i___cxa_guard_acquire(struct guard *g)
{
	if (!active()) {
		int expected = ONCE_NEW;

		while (!__atomic_compare_exchange_n(&g->state, &expected, ONCE_RUNNING, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			if (expected == ONCE_DONE)
				return 0;
			expected = ONCE_NEW;
			sys0(SYS_sched_yield);
		}
		return 1;
	}
	if (!alone() || g->state == ONCE_RUNNING) {
		if (g->state == ONCE_NEW)
			made_unseen(caller());
		if (object_step(LP_EV_ONCE, &g->state, WAIT_ONCE, false)->kind == LP_EV_READ)
			return 0;
	} else if (g->state == ONCE_DONE) {
		return 0;
	}
	g->state = ONCE_RUNNING;
	return 1;
}

/* The initialization is over; who waits goes on. */
static void leave(struct guard *g, int state, uint64_t pc)
{
	if (active() && !alone()) {
		announce(LP_EV_UNLOCK, &g->state, 1, pc)->flags = LP_SITE_NOVALUE;
		step(rt->cur);
	}
	__atomic_store_n(&g->state, state, __ATOMIC_RELEASE);
}

void i___cxa_guard_release(struct guard *g);
void i___cxa_guard_release(struct guard *g)
{
	uint64_t *entry = rt_there ? rt->entry : NULL, pc = active() ? caller() : 0;

	if (active() && !alone()) {
		announce(LP_EV_WRITE, &g->done, 1, pc)->flags =
			(uint8_t)(LP_SITE_ATOMIC | __ATOMIC_RELEASE << 4);
		step(rt->cur)->value[0] = 1;
		rt->entry = entry;
	}
	__atomic_store_n(&g->done, 1, __ATOMIC_RELEASE);
	leave(g, ONCE_DONE, pc);
}

void i___cxa_guard_abort(struct guard *g);
void i___cxa_guard_abort(struct guard *g)
{
	leave(g, ONCE_NEW, active() ? caller() : 0);
}
