/* SPDX-License-Identifier: MIT
 *
 * The frames of instrumented functions, and the calling context that they make.
 */
#include "call_stack.h"
#include "memory.h"
#include "names.h"
#include "state.h"

void call_stack_reset(struct fiber *f)
{
	if (!f->frames) {
		f->frames = memory_get((2 * CALL_FRAMES + 2) * sizeof *f->frames);
		f->frames->sp = UINT64_MAX;
	}
	f->frame = f->frames;
}

void call_stack_leave(uint64_t sp)
{
	while (rt->instr.frame->sp < sp)
		rt->instr.frame--;
}

void call_stack_context(struct fiber *f, uint64_t sp)
{
	struct call_frame *top, *k;

	call_stack_leave(sp);
	top = rt->instr.frame;
	if (top == f->frames && !f->framed)
		return;
	f->framed = top != f->frames;
	for (k = top; k->context < 0; k--)
		;
	if (UNLIKELY(rt->blocks))
		blocks_returned(f, context_depth((uint32_t)k->context));
	while (k < top) {
		k[1].context = (int32_t)context_enter((uint32_t)k->context, k[1].ret);
		k++;
	}
	f->context = (uint32_t)top->context;
}

/* The jump says where its stack pointer was. That slot may have been left since and be in use by
 * another call; but then its frame is gone, or is of another call. */
bool call_stack_tail(const uint64_t *slot)
{
	const struct call_frame *k;

	call_stack_leave((uint64_t)slot);
	/* That function may itself have been jumped to. */
	for (k = rt->instr.frame; k->sp == (uint64_t)slot && k[-1].sp == (uint64_t)slot; k--)
		;
	return k->sp == (uint64_t)slot && k->ret == *slot;
}

void call_stack_jumped(void)
{
	rt->instr.tail_target = 0;
	rt->instr.tail_to = &rt->instr.tail_target;
}
