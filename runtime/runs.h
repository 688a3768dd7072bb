/* SPDX-License-Identifier: MIT
 *
 * Runs besides the search: they have a log of their own, and when they are over the search finds
 * everything as it was.
 */
#ifndef LP_RUNS_H
#define LP_RUNS_H

#include "strategy.h"
#include "state.h"

/* What the runs must not change. */
struct kept {
	const struct strategy *strategy;
	struct event *log;
	uint32_t (*clocks)[MAX_FIBERS];
	uint64_t *enabled;
	struct waiting waiting;
	uint32_t n, prefix, keep, steps;
	int32_t choice;
	uint8_t no_class, need_restart, judge, blocks;
};

void runs_init(void);
void runs_begin(struct kept *k, const struct strategy *strategy);
void runs_end(const struct kept *k);

#endif
