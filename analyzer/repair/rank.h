/* SPDX-License-Identifier: MIT
 *
 * repair/ computes which statements would have to be atomic. It includes base/, run/ and source/.
 *
 * From all traces of a run to a ranked list of repairs.
 *
 *	ranking_new
 *	ranking_add_violation	for each trace that is wrong, by its history or by how it ends
 *	ranking_add_choice	for repairs that were found in another way
 *	ranking_combine
 *	ranking_add_valid	for each trace that is right, one after the other
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
	bool no_operations; /* as if none were marked: blocks may contain several */
};

struct ranked_repair {
	struct repair repair; /* belongs to the ranking */
	uint64_t disabled;    /* f: right traces that it eliminates */
	uint32_t rank;        /* from 1; equal where `disabled` is equal */
};

struct ranking_result {
	/* ascending by disabled, then by blocks, then by lines */
	struct ranked_repair *repairs;
	uint32_t nrepairs;
	/* What was analysed. */
	uint64_t violations, valid;
	/* of the violating traces; conflicts of memory accesses, all of them where the repairs of a
	 * trace need those of synchronization objects */
	double average_events, average_conflicts;
	double eliminator_seconds; /* segments, blocks and re-check of the violating traces */
	uint32_t distinct;         /* different sets of single-trace repairs */
	/* Limits; the list is about what is left. */
	/* violating traces that no atomic block excludes */
	uint64_t without_repair;
	/* of them, those for which each block would have to contain a wait for other threads; and
	 * the site of one such wait, NONE */
	uint64_t waits_inside;
	uint32_t wait_site;
	/* violating traces that end before they show what would exclude them, as other threads are in the
	 * middle of something; they are no part of without_repair */
	uint64_t cut_short;
	/* violating traces with eliminators, none of which has source positions */
	uint64_t unmapped;
	uint64_t truncated; /* violating traces for which a bound of eliminators_find was reached */
	uint64_t pruned;    /* repairs dropped because of `keep` */
};

struct ranking;

/* `map` is copied, its data must outlive the ranking. `options` may be NULL. */
struct ranking *ranking_new(const struct source_map *map, const struct ranking_options *options);
void ranking_free(struct ranking *r);

/* The trace, with what its threads wait for at the end (trace_add_end). */
void ranking_add_violation(struct ranking *r, const struct trace *t);
/* The same in two steps: finds what there is to say of the trace; adds it. */
void ranking_look(struct ranking *r, const struct trace *t);
void ranking_add_last(struct ranking *r, const struct trace *t);
/* Of the trace that was looked at last: can it also happen with operations, and what threads do between
 * them, one at a time? Then no block excludes it. */
bool ranking_last_serial(const struct ranking *r);
/* The repairs of the trace that was looked at last, minimal as static blocks: for reports about one
 * trace. */
uint32_t ranking_last_count(const struct ranking *r);
const struct repair *ranking_last(const struct ranking *r, uint32_t i);

/* One of these repairs, none of which subsumes another, has to be chosen, too. They are copied, but
 * not their strings. */
void ranking_add_choice(struct ranking *r, const struct repair *repairs, uint32_t n);

/* The same for each trace of another ranking, which must outlive this one. */
void ranking_adopt(struct ranking *r, const struct ranking *from);

/* Chooses one repair for each violating trace in all ways and keeps the minimal unions.
 * Again, after more was added, it begins anew. */
void ranking_combine(struct ranking *r);
void ranking_add_valid(struct ranking *r, const struct trace *t);
/* Valid until ranking_free. */
const struct ranking_result *ranking_finish(struct ranking *r);
/* The same list: those of one rank may change places. */
struct ranked_repair *ranking_list(struct ranking *r);

#endif
