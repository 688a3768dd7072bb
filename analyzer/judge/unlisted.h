/* SPDX-License-Identifier: MIT
 *
 * What threads do beside the operations, where these were only proposed: functions whose names did not
 * say that they are operations, too. What they give is not checked, and nobody has said that this is right.
 */
#ifndef LINCHPIN_JUDGE_UNLISTED_H
#define LINCHPIN_JUDGE_UNLISTED_H

#include "run/trace.h"
#include "source/map.h"

struct unlisted { /* sites of such accesses */
	uint32_t *sites, n, capacity;
};

/* Adds the accesses outside of operations that conflict with one inside, where only the schedule puts the
 * two in order. Nothing is added if the operations of the run are not a proposal, and after the first
 * classes. */
void unlisted_see(struct unlisted *u, const struct run *run, const struct trace *t);

/* A sentence, to free; NULL if there are none. Functions that the texts `said` name are left out: that
 * an operation was inlined into one, for example, has been said. */
char *unlisted_limit(const struct unlisted *u, const struct run *run, struct srcmap *map, char *const *said,
		     size_t nsaid);

#endif
