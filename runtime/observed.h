/* SPDX-License-Identifier: MIT
 *
 * Two executions are also taken for one if they differ only in the order of writes of which nobody reads
 * what the earlier one wrote (--equivalence=observers).
 */
#ifndef LP_OBSERVED_H
#define LP_OBSERVED_H

#include "state.h"

#include <stdbool.h>
#include <stdint.h>

/* Steps that come before one though it does not conflict with them: creations, joins, wakes. */
#define OTHERS 3u
struct others {
	uint32_t n; /* OTHERS + 1: too many */
	uint32_t step[OTHERS];
};

void observed_init(void);

/* What a thread knew before step i, when it was made: `clock`. */
void observed_step(uint32_t i, const uint32_t *clock);

/* The execution is over: what happens before what, and rt->observed_hash. */
void observed_find(void);

/* Is that less than what rt->clocks says? */
bool observed_differs(void);

/* What happens before each step then. */
typedef uint32_t observed_clock[MAX_FIBERS];
observed_clock *observed_order(void);

/* What happens before the pending event of f. */
void observed_before(const struct fiber *f, uint32_t *clock);

/* The steps that step i of this execution conflicts with, as strategy.h says; its clock before them. */
unsigned observed_conflicts(uint32_t i, uint32_t *conflicts, uint32_t *clock);

/* A write that reads nothing, of one value. With --equivalence=observers it is one also where it leaves the value as it was:
 * whether it does depends on which of the writes before it came last, and these are in no order. */
static inline bool event_is_blind(const struct event *e)
{
	return e->kind == LP_EV_WRITE && e->access == LP_WRITES && !e->addr2 && !e->reads_own &&
	       !(e->flags & (LP_SITE_NOVALUE | LP_SITE_FUTEX)) && e->size <= 8 &&
	       (e->addr & 7) + e->size <= 8;
}

/* Two writes whose order matters only if one of them is seen. */
static inline bool events_are_blind(const struct event *a, const struct event *b)
{
	return a->addr == b->addr && a->size == b->size && event_is_blind(a) && event_is_blind(b);
}

/* Are they two writes of which only the later one, i, is seen? */
bool observed_pair(uint32_t earlier, uint32_t i);

#endif
