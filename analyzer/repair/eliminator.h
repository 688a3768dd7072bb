/* SPDX-License-Identifier: MIT
 *
 * Trace eliminators: sets of critical segments that, made atomic, exclude a trace and all traces
 * equivalent to it.
 */
#ifndef LINCHPIN_REPAIR_ELIMINATOR_H
#define LINCHPIN_REPAIR_ELIMINATOR_H

#include "repair/order.h"

struct segment {
	uint32_t first, last; /* events of one (outermost) operation instance, first < last */
};

/* One eliminator: at most one segment a thread, sorted by thread. */
struct segment_set {
	uint32_t start, count; /* segments[start .. start + count] of the result */
};

#define ELIMINATOR_WORK 20000000 /* default bound on the work, below a second */
#define ELIMINATOR_SETS 4096     /* default bound on the number of sets kept */

struct eliminators {
	struct segment *segments;
	uint32_t nsegments, segments_capacity;
	struct segment_set *sets;
	uint32_t nsets, sets_capacity;
	bool truncated; /* a bound was reached: each set is an eliminator, some may be missing */
	uint64_t work;  /* edges followed and sets compared */
};

/* Computes the eliminators of `t` that are minimal as sets of segments: no other one has each of
 * its segments inside a segment of theirs. `o` is the order of `t`. Zero-initialise *r before the
 * first call; it is overwritten. No sets and not truncated: no atomic blocks inside operations
 * exclude the trace. A bound of 0 is the default. */
void eliminators_find(const struct trace *t, const struct order *o, uint64_t max_work,
		      uint32_t max_sets, struct eliminators *r);
void eliminators_free(struct eliminators *r);

#endif
