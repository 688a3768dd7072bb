/* SPDX-License-Identifier: MIT
 *
 * Blocks that nobody can free any more. At the end of an execution, a live block is reached if the
 * address of one of its bytes is in the memory of the program, in libc's, in the storage or on the stack
 * of a thread that lives, or in a block that is reached (Boehm and Weiser, "Garbage collection in an
 * uncooperative environment", 1988). The 16 bits above an address may hold anything, and what main has on
 * its stack counts although it has returned. So a block that is said to leak does, but for pointers that are not stored as
 * addresses at multiples of 8.
 *
 * To look costs more than a short execution. It is done where the blocks that are left, by the place of
 * their allocation, are what was not seen before, or was seen less than a few times, and not more often
 * than once in many classes; or everywhere, if that was asked for. That depends on nothing but the classes, so it is
 * the same in every run.
 */
#include "leaks.h"
#include "block.h"
#include "checkpoint.h"
#include "donors.h"
#include "extended.h"
#include "maps.h"
#include "memory.h"
#include "names.h"
#include "services.h"
#include "state.h"
#include "trace.h"

#define LOOKS       16  /* in any case, and one more ... */
#define IN_CLASSES  128 /* ... for so many classes */
#define EACH        4   /* what is left is the same: so often, and then when that number doubles */
#define MOST_KINDS  256
#define MOST_RANGES 64
#define MOST_PLACES 32

struct main_frame main_frame;

static struct {
	uint64_t left[MOST_KINDS]; /* hashes of what is left */
	uint32_t times[MOST_KINDS];
	unsigned n;
	uint64_t looks;
	struct block **waiting; /* reached, but not looked into */
	uint32_t nwaiting, room;
} * leaks;

void leaks_main_begins(void)
{
	zero(main_frame.registers, sizeof main_frame.registers);
	main_frame.left = false;
}

void leaks_main_joins(void)
{
	copy(main_frame.registers, rt->entry, sizeof main_frame.registers);
}

void leaks_init(void)
{
	leaks = memory_get(sizeof *leaks);
}

void leaks_forget(void)
{
	leaks->n = 0;
	leaks->looks = 0;
}

/* Made in the execution, and not free. */
static bool is_left(const struct block *b)
{
	return !b->freed && !block_kept(b);
}

static bool any_made(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].allocations)
			return true;
	return false;
}

/* Of the blocks that are left; *n: how many. */
static uint64_t hash_left(uint32_t *n)
{
	uint64_t sum = 0;

	*n = 0;
	if (!any_made())
		return 0;
	for (struct block *b = block_next(NULL); b; b = block_next(b)) {
		b->reached = false;
		if (!is_left(b))
			continue;
		sum += mix(mix(0, b->allocated.pc), b->allocated.context);
		++*n;
	}
	return sum;
}

static bool worth_it(uint64_t left)
{
	unsigned i = 0;

	while (i < leaks->n && leaks->left[i] != left)
		i++;
	if (i == MOST_KINDS)
		return false;
	if (i == leaks->n) {
		leaks->left[leaks->n++] = left;
		leaks->times[i] = 0;
	}
	leaks->times[i]++;
	if (leaks->times[i] > EACH && leaks->times[i] & (leaks->times[i] - 1))
		return false;
	return leaks->looks < LOOKS + rt->status->classes / IN_CLASSES;
}

static void reach(uintptr_t addr)
{
	struct block *b = block_find(addr & ((1UL << 48) - 1));

	if (!b || b->freed || b->reached)
		return;
	b->reached = true;
	leaks->waiting[leaks->nwaiting++] = b;
}

static void scan_words(uintptr_t lo, uintptr_t hi)
{
	for (lo = round_up(lo, 8); lo + 8 <= hi; lo += 8)
		if (UNLIKELY(in_heap(*(const uint64_t *)lo & ((1UL << 48) - 1))))
			reach(*(const uint64_t *)lo);
}

/* Of much memory, only what was touched. */
static void scan(uintptr_t lo, uintptr_t hi)
{
	struct range touched[MOST_RANGES];
	uintptr_t first = lo & ~(PAGE - 1);
	unsigned n;

	if (lo >= hi)
		return;
	n = maps_touched(first, hi, touched, MOST_RANGES);
	for (unsigned i = 0; i < n; i++)
		scan_words(touched[i].lo > lo ? touched[i].lo : lo,
			   touched[i].hi < hi ? touched[i].hi : hi);
}

static void scan_threads(void)
{
	uintptr_t lo, hi;

	for (unsigned i = 0; fibers_tls(i, &lo, &hi); i++)
		scan(lo, hi);
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct fiber *f = &rt->fibers[i];

		if (i && f->state == FIBER_FINISHED) {
			reach((uintptr_t)f->retval); /* what a join would give */
			continue;
		}
		/* Once main has returned and ends the process, the rest of its stack is the runtime's, with pieces of old
		 * frames in it; what main held is known (main_frame). */
		scan(!i && f == rt->cur && main_frame.left ? f->outermost : f->stack_low_seen, f->stack_hi);
		scan((uintptr_t)f, (uintptr_t)(f + 1));
		if (extended_kept(f, &lo, &hi))
			scan_words(lo, hi);
	}
}

static void find_reached(void)
{
	leaks->nwaiting = 0;
	checkpoint_each(scan);
	scan_threads();
	blocks_outside(reach);
	for (uint32_t i = 0; i < rt->nsent; i++)
		reach(rt->sent[i].value);
	if (main_frame.left)
		scan_words((uintptr_t)main_frame.memory, (uintptr_t)(main_frame.registers + ENTRY_PC));
	while (leaks->nwaiting) {
		const struct block *b = leaks->waiting[--leaks->nwaiting];

		scan(b->base, b->base + b->asked);
	}
}

static unsigned sort_by_place(struct leak *list)
{
	unsigned n = 0, i;

	for (const struct block *b = block_next(NULL); b; b = block_next(b)) {
		const struct call_place *at = &b->allocated;

		if (!is_left(b) || b->reached)
			continue;
		for (i = 0; i < n && (list[i].pc != at->pc || list[i].context != at->context); i++)
			;
		if (i == MOST_PLACES)
			continue;
		if (i == n)
			list[n++] = (struct leak){ .first = b->base,
						   .pc = at->pc,
						   .context = at->context };
		list[i].blocks++;
		list[i].bytes += b->asked;
	}
	return n;
}

static void make_room(uint32_t blocks)
{
	if (blocks <= leaks->room)
		return;
	leaks->room = 2 * blocks;
	leaks->waiting = memory_get(leaks->room * sizeof(struct block *));
}

void leaks_look(void)
{
	const bool well = rt->outcome.kind == LP_OUT_OK ||
			  (rt->outcome.kind == LP_OUT_EXIT && !rt->outcome.code);
	struct leak list[MOST_PLACES];
	uint64_t left;
	uint32_t blocks;
	unsigned n = 0;

	/* Memory that the execution has mapped is not looked into. */
	if (!well || (*rt->config.replay && !rt->config.leaks) || interposing.mapped())
		return;
	left = hash_left(&blocks);
	if (!worth_it(left) && !rt->config.leaks)
		return;
	leaks->looks++;
	if (blocks) {
		make_room(blocks_count());
		find_reached();
		n = sort_by_place(list);
	}
	trace_leaks(list, n);
}
