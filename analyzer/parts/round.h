/* SPDX-License-Identifier: MIT
 *
 * What is explored next: the jobs of a round. They depend on what was found in the rounds before, and not
 * on the number of workers or on the clock, so every search in parts finds the same.
 */
#ifndef LINCHPIN_PARTS_ROUND_H
#define LINCHPIN_PARTS_ROUND_H

#include "parts/jobs.h"

/* Are schedules only drawn? */
bool round_is_random(const struct settings *s);

/* Do parts have equal classes? */
bool round_meets_again(const struct settings *s);

/* The number of jobs; 0: nothing is left to do. */
uint32_t round_make(struct frontier *f, const struct settings *s, struct jobs *jobs);

/* What jobs that are over have not drawn of their ranges is left. */
void round_give_back(struct frontier *f, const struct jobs *jobs);
/* The same of ranges of shards, of which *f is made, in their order. */
void round_merge_ranges(struct frontier *f, struct frontier *const *shards, uint32_t n);

/* The last job: livelocks that no part has recorded. False: there are none, or the merge does it. */
bool round_of_livelocks(const struct frontier *f, struct jobs *jobs);

/* Have enough units been found to be divided among shards? */
bool round_is_time_to_share(const struct frontier *f, const struct settings *s);

/* Of a number that is meant for all shards. */
uint64_t round_share(uint64_t all, const struct frontier *f);

/* Is something left that other shards explore, or that is for the merge? */
bool round_left_elsewhere(const struct frontier *f);

/* As if nothing had been executed. */
void round_forget_counts(struct lp_status *s);

#endif
