/* SPDX-License-Identifier: MIT
 *
 * How far a depth-first search has come. Apart from the search, for it uses floating point, which
 * must not be touched in the middle of instrumented code.
 */
#include "rt.h"

/* Knuth's estimate: each branch of a frame counts for an equal part of its share. */
double frames_estimate(void)
{
	double share = 1, done = 0;

	for (uint32_t i = 0; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		int branches;

		if (e->kind > LP_EV_LAST_STEP)
			continue;
		branches = __builtin_popcountll(e->backtrack | e->done);
		if (branches < 2)
			continue;
		share /= branches;
		done += share * __builtin_popcountll(e->done & ~bit(e->thread));
	}
	return done;
}
