/* SPDX-License-Identifier: MIT
 *
 * What is explored next: which jobs are given out. That depends on what was put together before, and not
 * on the number of workers or on the clock, so every search in parts finds the same.
 */
#ifndef LINCHPIN_PARTS_PLAN_H
#define LINCHPIN_PARTS_PLAN_H

#include "launch/launch.h"
#include "parts/frontier.h"

/* Are schedules only drawn? */
bool plan_is_random(const struct settings *s);

/* Do parts have equal classes? */
bool plan_meets_again(const struct settings *s);

/* Gives out the next job, as the last one of f->jobs. False: there is none now, or none at all if no job is
 * given out. */
bool plan_next(struct frontier *f, const struct settings *s);

/* The last job: livelocks that no part has recorded. False: there are none, or the merge does it. */
bool plan_livelocks(struct frontier *f);

/* What shards have not drawn of their ranges, of which *f is made, in their order. */
void plan_merge_ranges(struct frontier *f, struct frontier *const *shards, uint32_t n);

/* Have enough units been found to be divided among shards? */
bool plan_is_time_to_share(const struct frontier *f);

/* Of a number that is meant for all shards. */
uint64_t plan_share(uint64_t all, const struct frontier *f);

/* Is something left that other shards explore, or that is for the merge? */
bool plan_left_elsewhere(const struct frontier *f);

/* As if nothing had been executed. */
void plan_forget_counts(struct lp_status *s);

#endif
