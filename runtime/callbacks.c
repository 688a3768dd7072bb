/* SPDX-License-Identifier: MIT
 *
 * Functions of the program that run within a call of the runtime: handlers of signals, initialisers, routines that clean up.
 * What the runtime has on the stack below them, it may have left there otherwise in another execution, so it is no part of
 * the thread's state (local_state.c). What counts is how far it has come in the call, which is told as the function begins.
 */
#include "fiber.h"
#include "local_state.h"
#include "state.h"
#include "strategy.h"

static bool on_stack_of(const struct fiber *f, uintptr_t at)
{
	return at - f->stack_lo < f->stack_hi - f->stack_lo;
}

/* The end of what is the runtime's there: registers that the program has at a call are kept above it; those at a site are
 * told by what is live of them (callback_interrupts). */
static uintptr_t end_of_call(const struct fiber *f)
{
	const struct rounds *r = &f->rounds;

	if (!on_stack_of(f, (uintptr_t)rt->entry))
		return r->top;
	if (r->site && r->entry == rt->entry)
		return (uintptr_t)(rt->entry + ENTRY_SP + r->red_zone);
	return (uintptr_t)(rt->entry + 1);
}

void callback_begins(uintptr_t sp)
{
	struct fiber *f = rt_there ? rt->cur : NULL;
	struct rounds *r;

	if (!active() || !on_stack_of(f, sp))
		return;
	callbacks_left(f, sp);
	r = &f->rounds;
	if (r->ncallbacks < CALLBACKS)
		r->callbacks[r->ncallbacks] = (struct callback){ sp, end_of_call(f), r->interrupted };
	r->ncallbacks++;
	r->interrupted = 0;
}

void callback_ends(uintptr_t sp)
{
	if (active())
		callbacks_left(rt->cur, sp + 1);
}

void callbacks_left(struct fiber *f, uintptr_t sp)
{
	struct rounds *r = &f->rounds;

	if (!on_stack_of(f, sp))
		return;
	while (r->ncallbacks > CALLBACKS && r->callbacks[CALLBACKS - 1].lo < sp)
		r->ncallbacks--;
	while (r->ncallbacks && r->ncallbacks <= CALLBACKS && r->callbacks[r->ncallbacks - 1].lo < sp)
		r->ncallbacks--;
}

void callback_interrupts(struct fiber *f, const struct pending *announced)
{
	struct local_state s;

	if (rt->strategy->unruled || !local_state_of(f, &s))
		return;
	s.pending = *announced;
	f->rounds.interrupted = local_state_hash(&s);
}
