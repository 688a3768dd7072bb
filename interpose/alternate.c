/* SPDX-License-Identifier: MIT
 *
 * The alternate stack for signals: each thread's own, on which handlers run that want it. The kernel's is the
 * runtime's, for crashes.
 */
#include "sending.h"

#include <errno.h>
#include <limits.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif
#define LEAST 2048 /* as Linux */

/* As the kernel says it: where the program is now. */
static bool runs_there(const struct fiber *f)
{
	uintptr_t sp = (uintptr_t)(rt->entry + ENTRY_SP);

	return f->alternate.size && !(f->alternate.flags & (int)SS_AUTODISARM) && sp > f->alternate.lo &&
	       sp - f->alternate.lo <= f->alternate.size;
}

static stack_t told(const struct fiber *f)
{
	stack_t s = { .ss_sp = (void *)f->alternate.lo, .ss_size = f->alternate.size, .ss_flags = f->alternate.flags };

	s.ss_flags |= !s.ss_size ? SS_DISABLE : runs_there(f) ? SS_ONSTACK : 0;
	return s;
}

int i_sigaltstack(const stack_t *set, stack_t *old);
int i_sigaltstack(const stack_t *set, stack_t *old)
{
	struct fiber *f = rt_there ? rt->cur : NULL;
	stack_t before;
	int mode;

	if (!active())
		return real_sigaltstack(set, old);
	before = told(f);
	if (set) {
		mode = set->ss_flags & INT_MAX;
		if (runs_there(f))
			return fail(EPERM);
		if (mode && mode != SS_ONSTACK && mode != SS_DISABLE)
			return fail(EINVAL);
		if (mode != SS_DISABLE && set->ss_size < LEAST)
			return fail(ENOMEM);
		f->alternate.lo = mode == SS_DISABLE ? 0 : (uintptr_t)set->ss_sp;
		f->alternate.size = mode == SS_DISABLE ? 0 : set->ss_size;
		f->alternate.flags = set->ss_flags & (int)SS_AUTODISARM;
	}
	if (old)
		*old = before;
	return 0;
}

/* Frames of what is called on the other stack cannot be told from those of this one by their place. */
static void call_there(struct fiber *f, uintptr_t lo, uintptr_t hi, uint64_t handler, const uint64_t *arguments)
{
	const struct call_frame barrier = { UINT64_MAX, 0, (int32_t)f->context };

	f->aside.lo = lo;
	f->aside.hi = hi;
	f->aside.frame = rt->instr.frame;
	if (rt->instr.on)
		*++rt->instr.frame = barrier;
	call_program_on(hi, handler, arguments[0], arguments[1], arguments[2]);
	if (f->aside.frame)
		rt->instr.frame = f->aside.frame;
	zero(&f->aside, sizeof f->aside);
}

void alternate_left(uintptr_t sp)
{
	struct fiber *f = rt->cur;

	callbacks_left(f, sp);
	if (LIKELY(!f->aside.hi) || is_aside(f, sp))
		return;
	if (rt->instr.on)
		rt->instr.frame = f->aside.frame;
	zero(&f->aside, sizeof f->aside);
}

void handler_runs(uint64_t handler, const uint64_t *arguments, bool aside)
{
	struct fiber *f = rt->cur;

	if (!aside || !f->alternate.size || runs_there(f) || is_aside(f, (uintptr_t)rt->entry)) {
		call_back(handler, arguments[0], arguments[1], arguments[2]);
	} else if (f->alternate.flags & (int)SS_AUTODISARM) {
		const uintptr_t lo = f->alternate.lo;
		const size_t size = f->alternate.size;

		zero(&f->alternate, sizeof f->alternate);
		call_there(f, lo, lo + size, handler, arguments);
		f->alternate.lo = lo;
		f->alternate.size = size;
		f->alternate.flags = (int)SS_AUTODISARM;
	} else {
		call_there(f, f->alternate.lo, f->alternate.lo + f->alternate.size, handler, arguments);
	}
}
