/* SPDX-License-Identifier: MIT
 *
 * How far a depth-first search has come. Apart from the search, for it uses floating point, which
 * must not be touched in the middle of instrumented code.
 */
#include "../state.h"
#include "frames.h"

/* Knuth's estimate: each branch of a frame counts for an equal part of its share. Races add branches
 * late, so this says far too much until the first choice of all has a branch that is finished:
 * negative, unknown, before. */
double frames_estimate(void)
{
	double share = 1, done = 0;
	bool first = true;

	for (uint32_t i = 0; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		const struct search_frame *f = &search_frames[i];
		int branches;

		if (!event_is_step(e) || e->glued)
			continue;
		branches = __builtin_popcountll(f->backtrack | f->done);
		if (branches < 2)
			continue;
		if (first && !(f->done & ~bit(e->thread)))
			return -1;
		first = false;
		share /= branches;
		done += share * __builtin_popcountll(f->done & ~bit(e->thread));
	}
	return done;
}
