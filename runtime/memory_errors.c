/* SPDX-License-Identifier: MIT
 *
 * Errors in the use of heap blocks: use after free, double and invalid free, accesses behind a
 * block. An access that is an event is looked at when it happens. What code does whose accesses are
 * not seen shows in the pattern behind each block, which is looked at when the block is freed and
 * when the execution ends. A thread's stack is freed when it ends.
 *
 * To give out a block that was freed is a step (reuse.h), so that whoever still uses it may come before that. Such steps,
 * and frees, are plain writes to the block: what they conflict with does not depend on what others are about to do.
 */
#include "memory_errors.h"
#include "block.h"
#include "sched.h"
#include "share.h"
#include "stack.h"
#include "unseen.h"

#define PATTERN 0xb5 /* unlikely to be what is written past the end: not 0, not -1, no letter */

static size_t filled(const struct block *b)
{
	size_t gap = b->size - b->asked;

	return gap < GAP_FILLED ? gap : GAP_FILLED;
}

void block_resize(struct block *b, size_t asked)
{
	uint8_t *p = (uint8_t *)b->base + asked;

	b->asked = asked;
	for (size_t n = filled(b), i = 0; i < n; i++)
		p[i] = PATTERN;
}

/* The first byte behind the block that has been written; 0 if there is none. */
static uintptr_t overwritten(const struct block *b)
{
	const uint8_t *p = (const uint8_t *)b->base + b->asked, *end = p + filled(b);

	for (; end - p >= 8 && peek((uintptr_t)p, 8) == PATTERN * 0x0101010101010101ULL; p += 8)
		;
	for (; p < end; p++)
		if (*p != PATTERN)
			return (uintptr_t)p;
	return 0;
}

static const struct fiber *fiber_at(const struct call_place *from)
{
	return &rt->fibers[from->thread < rt->nfibers ? from->thread : 0];
}

/* The call may come from a library whose own calls are not known. */
static void keep_calls(const struct call_place *from)
{
	if (from->thread == rt->cur->id && rt->instr.full != rt->entry)
		stack_of_hook();
}

void block_check(const struct block *b, const struct call_place *from)
{
	uintptr_t at = overwritten(b);

	if (!at)
		return;
	keep_calls(from);
	end_memory_error(LP_OUT_OUT_OF_BOUNDS, fiber_at(from), from->pc, from->context, at,
			 "something was written past the end of a block; found when the "
			 "block was freed");
}

void blocks_check(void)
{
	for (const struct block *b = block_next(NULL); b; b = block_next(b)) {
		uintptr_t at = b->freed ? 0 : overwritten(b);

		if (at)
			end_memory_error(LP_OUT_OUT_OF_BOUNDS, fiber_at(&b->allocated),
					 b->allocated.pc, b->allocated.context, at,
					 "something was written past the end of the block that is "
					 "allocated here; found at the end of the execution");
	}
}

void end_bad_free(const void *p, const struct call_place *from)
{
	const struct block *b = block_find((uintptr_t)p);
	const char *what = "free of an address that malloc never gave";

	if (b && b->base == (uintptr_t)p)
		what = "double free";
	else if (b)
		what = "free of an address inside a block";
	keep_calls(from);
	end_memory_error(LP_OUT_BAD_FREE, fiber_at(from), from->pc, from->context, (uint64_t)p, what);
}

/* Does the event touch the memory at its address? Who leaves a condition, a barrier or a futex may
 * find it destroyed, as POSIX allows. */
bool event_touches(unsigned kind, unsigned flags)
{
	switch (kind) {
	case LP_EV_WAKE:
	case LP_EV_TIMEOUT:
	case LP_EV_BARRIER_LEAVE:
	case LP_EV_WOKEN:
		return false;
	case LP_EV_SIGNAL:
		return !(flags & LP_SITE_FUTEX);
	default:
		return lp_kind_access(kind) != 0;
	}
}

/* An aligned load of a power of two may be a word of which the program uses a part only: nobody
 * else's memory begins in it. */
static bool whole_word(const struct event *e)
{
	return lp_kind_access(e->kind) == 1 && e->size <= 64 && !(e->size & (e->size - 1)) &&
	       !(e->addr & (e->size - 1));
}

/* What is used too late. */
static const char *late_use(uint64_t addr, bool write)
{
	if (!in_heap(addr))
		return write ? "write to memory of a thread that has ended"
			     : "read of memory of a thread that has ended";
	return write ? "write to freed memory" : "read of freed memory";
}

bool used_by_others(uint64_t lo, uint64_t hi)
{
	const struct fiber *f = rt->cur;

	settle();
	for (uint32_t i = rt->n; i-- > 0;) {
		const struct event *e = &rt->log[i];

		if (e->thread != f->id && event_is_step(e) && e->kind != LP_EV_BARRIER_LEAVE && f->clock[e->thread] < e->seq &&
		    (e->addr - lo < hi - lo || e->addr2 - lo < hi - lo))
			return true;
	}
	return false;
}

/* Main goes on there, in functions that nobody sees. */
static void main_stack_is_used(void)
{
	unseen("a thread uses what main has on its stack, and main may have returned before that", NULL);
}

void memory_main_returned(void)
{
	const struct fiber *f = &rt->fibers[0];

	rt->main_returned = true;
	if (rt->tracing && used_by_others(f->stack_lo, f->outermost))
		main_stack_is_used();
}

const char *memory_of_ended(const struct event *e, unsigned *kind)
{
	if (UNLIKELY(rt->main_returned) && e->thread && e->addr - rt->fibers[0].stack_lo < rt->fibers[0].outermost - rt->fibers[0].stack_lo)
		main_stack_is_used();
	if (!event_touches(e->kind, e->flags) || !share_ended(e->addr))
		return NULL;
	*kind = LP_OUT_USE_AFTER_FREE;
	return late_use(e->addr, lp_kind_access(e->kind) == LP_WRITES);
}

const char *memory_error(struct event *e, unsigned *kind)
{
	const struct block *b = block_before(e->addr);
	bool write = lp_kind_access(e->kind) == 2;
	uint64_t at;

	if (b) {
		e->block = b->name;
		e->block_base = b->base;
	}
	if (e->kind == LP_EV_FREE) /* since it was announced, others may have freed and allocated it */
		e->size = event_size(b && b->base == e->addr && !b->freed && b->asked ? b->asked : 1);
	if (e->kind == LP_EV_FREE || e->addr == rt->fibers[e->thread].given || !event_touches(e->kind, e->flags))
		return NULL;
	*kind = LP_OUT_OUT_OF_BOUNDS;
	if (!b)
		return "access to memory of the heap that is in no block";
	at = e->addr - b->base;
	if (at >= b->size)
		return "access to memory of the heap that is in no block";
	if (at >= b->asked && (b->asked || at))
		return write ? "write past the end of a block" : "read past the end of a block";
	if (b->freed) {
		*kind = LP_OUT_USE_AFTER_FREE;
		return late_use(e->addr, write);
	}
	if (e->size > b->asked - at && !whole_word(e))
		return write ? "write past the end of a block" : "read past the end of a block";
	return NULL;
}

void memory_look(uint64_t addr, uint64_t pc)
{
	const struct block *b = in_heap(addr) ? block_before(addr) : NULL;
	uint64_t at = b ? addr - b->base : 0;
	const char *message = "use of freed memory";
	unsigned kind = LP_OUT_USE_AFTER_FREE;

	if (b && at >= b->asked && at < b->size && (b->asked || at)) {
		kind = LP_OUT_OUT_OF_BOUNDS;
		message = "access past the end of a block";
	} else if (!b && share_ended(addr)) {
		message = "use of memory of a thread that has ended";
	} else if (!b || at >= b->size || !b->freed) {
		return;
	}
	context_now(rt->cur);
	end_memory_error(kind, rt->cur, pc, rt->cur->context, addr, message);
}

unsigned memory_places(uint64_t addr, struct call_place *places)
{
	const struct block *b = block_before(addr);

	if (!b)
		return 0;
	places[0] = b->allocated;
	places[1] = b->released;
	return b->freed ? 2 : 1;
}
