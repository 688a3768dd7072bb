/* SPDX-License-Identifier: MIT
 *
 * Stacks and thread-local storage are a thread's own, so its accesses there are not events, until
 * another thread is seen there.
 */
#include "share.h"
#include "explore.h"
#include "memory.h"
#include "memory_errors.h"
#include "sched.h"

#define SHARE_GRANULE 64

/* Places on stacks are counted from the top: that is where they are alike. */
static uintptr_t top_of(const struct fiber *f)
{
	return round_up(f->stack_hi, SHARE_GRANULE);
}

bool stack_is_shared(const struct fiber *f, uintptr_t addr, size_t size, bool all)
{
	const uint8_t *shared = rt->shared_stack[f->id];
	uintptr_t to = top_of(f) - addr - 1, from = to - size + (size > 0);

	if (!shared)
		return false;
	if (to >= MAIN_STACK) /* deep in a large stack */
		return true;
	if (from > to)
		from = 0;
	for (uintptr_t g = from / SHARE_GRANULE; g <= to / SHARE_GRANULE; g++)
		if ((shared[g / 8] >> (g % 8) & 1) != all)
			return !all;
	return all;
}

void stack_share_range(unsigned i, uint64_t lo, uint64_t hi)
{
	if (i >= MAX_FIBERS)
		return;
	if (hi > MAIN_STACK)
		hi = MAIN_STACK;
	if (!rt->shared_stack[i])
		rt->shared_stack[i] = memory_get(MAIN_STACK / SHARE_GRANULE / 8);
	for (uint64_t g = lo / SHARE_GRANULE; g < hi / SHARE_GRANULE; g++)
		rt->shared_stack[i][g / 8] |= (uint8_t)(1 << (g % 8));
}

bool stack_shared_range(unsigned i, uint64_t *lo, uint64_t *hi)
{
	const uint8_t *bits = rt->shared_stack[i];
	uint64_t g = *hi / SHARE_GRANULE, end = MAIN_STACK / SHARE_GRANULE;

	if (!bits)
		return false;
	while (g < end && !(bits[g / 8] >> g % 8 & 1))
		g++;
	*lo = g * SHARE_GRANULE;
	while (g < end && bits[g / 8] >> g % 8 & 1)
		g++;
	*hi = g * SHARE_GRANULE;
	return *lo < *hi;
}

/* Where one thread keeps what others touch, those that do the same keep it as well. */
static void share_with_alike(const struct fiber *owner, uintptr_t lo, uintptr_t hi)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].start == owner->start)
			stack_share_range(i, lo, hi);
}

/*
 * Somebody else touched this fiber's stack. Its own earlier accesses there were not recorded, so
 * the exploration begins again with the range visible. Each time the range is widened, so that few
 * rounds are enough.
 */
void stack_share(struct fiber *owner, uintptr_t addr, size_t size)
{
	uintptr_t hi = top_of(owner) - addr, lo = hi > size ? hi - size : 0;
	uintptr_t align = (uintptr_t)SHARE_GRANULE << (rt->share_round < 14 ? rt->share_round : 14);

	rt->share_round++;
	lo &= ~(align - 1);
	share_with_alike(owner, lo, round_up(hi, align));
	rt->need_restart = 1;
	abandon_execution();
}

void stack_object(const struct event *e)
{
	struct fiber *owner = lp_kind_access(e->kind) ? fiber_by_stack(e->addr) : NULL;

	if (owner && owner->id && owner->id != e->thread && !owner->given_stack &&
	    !stack_is_shared(owner, e->addr, 1, true))
		stack_share(owner, e->addr, 1);
}

/* Thread-local storage is shared like a stack: as a whole range, from its first to its last place
 * that others touch. Where all threads use the same one it is libc's. */
bool tls_visible(uintptr_t addr, size_t size)
{
	uintptr_t lo = addr & ~(SHARE_GRANULE - 1UL), hi = round_up(addr + size, SHARE_GRANULE);
	struct fiber *f;
	uint64_t offset;

	f = fiber_by_tls(addr, &offset);
	if (!f)
		return true;
	if (fibers_share_tls())
		return false;
	if (f == rt->cur)
		return addr < rt->shared_tls[f->id].hi && addr + size > rt->shared_tls[f->id].lo;
	if (addr >= rt->shared_tls[f->id].lo && addr + size <= rt->shared_tls[f->id].hi)
		return true;
	if (!rt->shared_tls[f->id].hi || lo < rt->shared_tls[f->id].lo)
		rt->shared_tls[f->id].lo = lo;
	if (hi > rt->shared_tls[f->id].hi)
		rt->shared_tls[f->id].hi = hi;
	rt->need_restart = 1;
	abandon_execution();
}

/* It writes all of the range, like a block that is freed. */
static void give_back(struct fiber *f, uintptr_t lo, uintptr_t hi)
{
	uint64_t place = (uint64_t)f->start + 1; /* like a return address: it is behind what it names */

	if (!rt->tracing || lo == hi)
		return;
	announce(LP_EV_FREE, (void *)lo, (uint32_t)(hi - lo), place)->flags = LP_SITE_NOVALUE;
	step(f);
}

/* From the first to the last place that others touch. */
static void all_shared(const struct fiber *f, uintptr_t *from, uintptr_t *to)
{
	uint64_t lo, hi = 0;

	*from = *to = 0;
	while (stack_shared_range(f->id, &lo, &hi)) {
		*from = top_of(f) - hi;
		*to = *to ? *to : top_of(f) - lo;
	}
}

void share_ends(void)
{
	struct fiber *f = rt->cur;
	uintptr_t lo, hi;

	if (!f->id || f->given_stack)
		return;
	all_shared(f, &lo, &hi);
	give_back(f, lo, hi);
	f->gone = 1;
	/* Who uses it is wrong, also when no accesses are events any more. */
	rt->freed = 1;
	set_tracing();
}

bool share_ended(uintptr_t addr)
{
	const struct fiber *f;

	f = in_stacks(addr) ? fiber_by_stack(addr) : NULL;
	return f && f->gone && f != rt->cur;
}

void set_tracing(void)
{
	if (UNLIKELY(rt->child))
		return;
	rt->tracing = rt->unjoined > 0 && !rt->cur->loading;
	/* Once all threads are joined, nothing is an event, but freed memory may still be used. */
	rt->minding = rt->sends & SENDS_ALONE && !rt->tracing && !rt->cur->loading;
	rt->looking = rt->tracing || rt->minding || (rt->freed && !rt->cur->loading);
	rt->stack_size = rt->cur->shared_stack || rt->minding ? 0 : rt->cur->stack_hi - rt->cur->stack_lo;
	rt->tls_traced = rt->tracing && rt->shared_tls[rt->cur->id].hi;
}
