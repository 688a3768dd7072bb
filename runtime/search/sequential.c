/* SPDX-License-Identifier: MIT
 *
 * Sequential executions: operations one at a time, in every order that the threads allow. They show
 * what the structure does when nobody disturbs it, which is what the specification `self` compares
 * with.
 *
 * An operation that has begun runs until it returns. Which of the threads begins its operation is a
 * choice, and all are tried. What threads do between operations is not: it runs at once, and only
 * where it turns out to conflict with something is the other order tried as well, as in Flanagan
 * and Godefroid, "Dynamic partial-order reduction for model checking software" (POPL 2005), with an
 * operation as one step.
 *
 * An operation that cannot go on by itself lets threads work that are in no operation (a server,
 * say), but none begins another operation; if nobody is left, the execution ends there, with that
 * operation pending: it is not possible in the state that the others made.
 */
#include "../memory.h"
#include "../state.h"
#include "../strategy.h"
#include "frames.h"

/* Who might have been chosen at each step, by its index in the log. */
static uint64_t *allowed;

static void init(void)
{
	frames_init();
	allowed = memory_get(log_capacity() * sizeof *allowed);
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	return frames_begin(prefix, choice, false);
}

/* Those of the set that are about to begin an operation. */
static uint64_t beginning(uint64_t set)
{
	uint64_t calls = 0;

	for (uint64_t b = set; b; b &= b - 1) {
		unsigned id = (unsigned)__builtin_ctzll(b);

		if (rt->fibers[id].pending.kind == LP_EV_CALL)
			calls |= bit(id);
	}
	return calls;
}

static const struct fiber *in_operation(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].in_op && rt->fibers[i].state == FIBER_LIVE)
			return &rt->fibers[i];
	return NULL;
}

/* Who may be chosen at this point. */
static uint64_t choices(uint64_t enabled)
{
	const struct fiber *f = in_operation();
	uint64_t others;

	if (!f)
		return enabled;
	if (enabled & bit(f->id))
		return bit(f->id);
	others = enabled & ~beginning(enabled);
	if (others)
		return others;
	if (f->spin.guess && (rt->spinning & bit(f->id)) && spin_release_guesses())
		return bit(f->id);
	end_blocked();
}

static int pick(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];
	uint64_t set = choices(enabled), calls = beginning(set);

	frame->done = 0;
	allowed[rt->n] = set;
	/* All that happens between operations first, then each of the operations. */
	frame->backtrack = set & ~calls ? (set & ~calls) & -(set & ~calls) : calls;
	return __builtin_ctzll(frame->backtrack);
}

/* The step that began what event i is part of: the call of its operation, or itself. */
static uint32_t beginning_of(uint32_t i, bool *operation)
{
	unsigned thread = rt->log[i].thread;

	*operation = true;
	if (rt->log[i].kind == LP_EV_RETURN || rt->log[i].kind == LP_EV_CALL)
		return i;
	for (uint32_t k = i; k-- > 0;) {
		if (rt->log[k].thread != thread)
			continue;
		if (rt->log[k].kind == LP_EV_RETURN)
			break;
		if (rt->log[k].kind == LP_EV_CALL)
			return k;
	}
	*operation = false;
	return i;
}

/* Lets the thread go before that earlier step, or anybody, if it could not. */
static void try_before(unsigned thread, uint32_t earlier)
{
	bool operation;
	uint32_t i = beginning_of(earlier, &operation);

	search_frames[i].backtrack |= allowed[i] & bit(thread) ? bit(thread) : allowed[i];
}

static void sequential_step(uint32_t i, const uint32_t *conflicts, unsigned n,
			    const uint32_t *clock)
{
	unsigned thread = rt->log[i].thread;
	bool mine = rt->fibers[thread].in_op, theirs;

	for (unsigned k = 0; k < n; k++) {
		const struct event *e = &rt->log[conflicts[k]];

		beginning_of(conflicts[k], &theirs);
		/* Operations are tried in every order anyway; what is ordered already stays so. */
		if ((mine && theirs) || clock[e->thread] >= e->seq)
			continue;
		/* A release comes with its acquisition. */
		try_before(thread, e->acquired != NO_EVENT ? e->acquired : conflicts[k]);
	}
}

const struct strategy strategy_sequential = {
	.init = init,
	.begin = begin,
	.pick = pick,
	.step = sequential_step,
	.estimate = frames_estimate,
	/* Orders of operations that do not conflict are one class, but two orders. */
	.distinct = true,
};
