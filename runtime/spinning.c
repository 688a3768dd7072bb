/* SPDX-License-Identifier: MIT
 *
 * A loop that touches nothing shared makes no events, so only the watchdog ends it, and where it meets the loop depends
 * on the machine. What is said of it must not. So the processor goes on in single steps until the loop is known, and the
 * execution ends at the first of its instructions in the code.
 *
 * While there are no other threads nothing is an event, and a loop may wait for the handler of a timer (alarm). Computing
 * takes no virtual time, or programs that are only slow would be interrupted. But where the watchdog has met a thread that
 * is alone while a timer is set, the exploration begins again (SENDS_ALONE), and from then on its accesses are counted
 * (rt->minding), also those of its own memory. A timer runs out after so many: the same ones in each execution.
 */
#include "spinning.h"
#include "modules.h"
#include "outcome.h"
#include "sched.h"
#include "services.h"
#include "state.h"

#define STEPS_OF_LOOP  20000  /* instructions after which each place of the loop is known */
#define TIME_OF_LOOP   100000 /* accesses before a timer runs out */
#define SINGLE_STEP    0x100  /* the flag TF */

static struct {
	uint64_t steps, first; /* first: in the code */
	uint64_t progress;     /* there was no event since */
	uint64_t accesses;
} loop;

void spinning_reset(void)
{
	loop.accesses = 0;
	rt->placing = 0;
}

static void single_steps(ucontext_t *uc, bool on)
{
	greg_t *flags = &uc->uc_mcontext.gregs[REG_EFL];

	*flags = on ? *flags | SINGLE_STEP : *flags & ~SINGLE_STEP;
	rt->placing = on;
}

bool spinning_begin(ucontext_t *uc)
{
	if (rt->placing)
		return false;
	loop.steps = loop.first = 0;
	loop.progress = rt->progress;
	single_steps(uc, true);
	return true;
}

bool spinning_stepped(ucontext_t *uc)
{
	uint64_t pc;

	if (!active() || rt->progress != loop.progress) {
		single_steps(uc, false); /* it was no such loop */
		return false;
	}
	single_steps(uc, true);
	pc = instrumentation.original((uint64_t)uc->uc_mcontext.gregs[REG_RIP]);
	loop.steps++;
	if (!module_is_program(pc))
		return false;
	if (!loop.first || pc < loop.first)
		loop.first = pc;
	return loop.steps >= STEPS_OF_LOOP && pc == loop.first;
}

void spinning_look(void)
{
	if (++loop.accesses < TIME_OF_LOOP)
		return;
	loop.accesses = 0;
	if (!interposing.timer_comes())
		return;
	rt->progress++;
	take_at_access();
}
