/* SPDX-License-Identifier: MIT
 *
 * repair/ computes which statements would have to be atomic. It includes base/, run/ and source/.
 *
 * From all traces of a run to a ranked list of repairs.
 *
 *	ranking_new
 *	ranking_add_violation	for each trace that is not linearizable
 *	ranking_combine
 *	ranking_add_valid	for each linearizable trace, one after the other
 *	ranking_finish
 */
#ifndef LINCHPIN_REPAIR_RANK_H
#define LINCHPIN_REPAIR_RANK_H

#include "repair/blocks.h"
#include "run/trace.h"

#define RANKING_KEEP 64 /* default bound on the repairs that are kept while combining */

struct ranking_options {
	uint64_t max_work; /* of eliminators_find for one trace; 0: its default */
	uint32_t max_sets; /* likewise */
	uint32_t keep;     /* repairs kept while combining; 0: RANKING_KEEP */
};

struct ranked_repair {
	struct repair repair; /* belongs to the ranking */
	uint64_t disabled;    /* f: linearizable traces that it eliminates */
	uint32_t rank;        /* from 1; equal where `disabled` is equal */
};

struct ranking_result {
	struct ranked_repair *repairs; /* ascending by disabled, then by size */
	uint32_t nrepairs;
	/* What was analysed. */
	uint64_t violations, valid;
	/* of the violating traces; conflicts of memory accesses, all of them where the repairs of a
	 * trace need those of synchronization objects */
	double average_events, average_conflicts;
	double eliminator_seconds; /* segments, blocks and re-check of the violating traces */
	uint32_t distinct;         /* different sets of single-trace repairs */
	/* Limits; the list is about what is left. */
	/* violating traces that no atomic block inside operations excludes */
	uint64_t without_repair;
	/* violating traces with eliminators, none of which has source positions */
	uint64_t unmapped;
	uint64_t truncated; /* violating traces for which a bound of eliminators_find was reached */
	uint64_t pruned;    /* repairs dropped because of `keep` */
};

struct ranking;

/* `map` is copied, its data must outlive the ranking. `options` may be NULL. */
struct ranking *ranking_new(const struct source_map *map, const struct ranking_options *options);
void ranking_free(struct ranking *r);

void ranking_add_violation(struct ranking *r, const struct trace *t);
/* The repairs of the trace that was added last, minimal as static blocks: for reports about one
 * trace. */
uint32_t ranking_last_count(const struct ranking *r);
const struct repair *ranking_last(const struct ranking *r, uint32_t i);

/* Chooses one repair for each violating trace in all ways and keeps the minimal unions. */
void ranking_combine(struct ranking *r);
void ranking_add_valid(struct ranking *r, const struct trace *t);
/* Valid until ranking_free. */
const struct ranking_result *ranking_finish(struct ranking *r);

#endif
