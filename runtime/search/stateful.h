/* SPDX-License-Identifier: MIT
 *
 * What the stateful searches share (stateful.c). They differ in which threads they explore from a state.
 */
#ifndef LP_STATEFUL_H
#define LP_STATEFUL_H

#include "../strategy.h"
#include "graph.h"

/* What one of them does on the way. Steps are named by their log index. */
struct reduction {
	/* All threads that are enabled are explored from every state: the others are not asked. */
	bool all;
	/* The step there, on the stack, came to its end: the graph has its edge. May be NULL. */
	void (*edge)(uint32_t step);
	/* The execution ends in a node that was met before. May be NULL. */
	void (*met)(uint32_t node);
	/* All that comes after the step there has been explored. May be NULL. */
	void (*explored)(uint32_t step);
};

struct place_in_search {
	uint32_t node;    /* before the step, NO_NODE: there was no choice */
	bool audited;     /* it was met before, and is gone on from only to compare */
};

extern struct graph *graph;
extern struct place_in_search *places_of_search; /* by log index */
extern uint64_t (*current_of)[MAX_FIBERS];       /* the same: threads whose later steps conflict with that of each */

void stateful_init(const struct reduction *r);
bool stateful_begin(uint32_t *prefix, int32_t *choice);
int stateful_pick(uint64_t enabled);
void stateful_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock);
void stateful_end(void);

/* From the state before the step: all must be explored. */
void explore_all(uint32_t step);

/* By what is known in current_of of those that were explored from there: who else must be? */
void update_backtrack(uint32_t step);

/* A step of that kind happens later than the one on the stack, which it may conflict with. */
void conflict_later(uint32_t step, const struct label *later);

#define STATEFUL_STRATEGY(name, reduction)                                                         \
	static void name##_init(void)                                                              \
	{                                                                                          \
		stateful_init(reduction);                                                          \
	}                                                                                          \
	const struct strategy strategy_##name = {                                                  \
		.init = name##_init,                                                               \
		.begin = stateful_begin,                                                           \
		.pick = stateful_pick,                                                             \
		.step = stateful_step,                                                             \
		.end = stateful_end,                                                               \
		.stateful = true,                                                                  \
		.unruled = true,                                                                   \
	}

#endif
