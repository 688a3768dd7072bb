/* SPDX-License-Identifier: MIT
 *
 * Inside cover/: what is collected (see.c), and what is made of it (finish.c).
 */
#ifndef LINCHPIN_COVER_PRIVATE_H
#define LINCHPIN_COVER_PRIVATE_H

#include "base/numbering.h"
#include "cover/cover.h"
#include "repair/order.h"

/* Lines between which control went, in one function. */
struct gap {
	uint32_t function; /* number in coverage->gap_functions */
	uint32_t lo, hi;   /* lines; UINT32_MAX: to the end of the function */
	bool separated;
};

struct coverage {
	const struct run *run;
	struct srcmap *map;
	struct order order;
	struct coverage_result result;
	bool begun;

	struct numbering lines;     /* file, line (of the map, so pointers do) */
	struct covered_line *list;  /* by number */
	uint32_t list_capacity;
	struct numbering functions; /* file, function: those of operations */
	struct numbering gap_functions;
	uint32_t *line_of;          /* by site: number + 1 of its line, 0 not asked, NONE none */
	uint32_t nsites;
	struct numbering pairs;     /* of lines */
	struct covered_pair *pair_list;
	uint32_t pairs_capacity;
	struct numbering gaps;      /* of sites, and whether they were separated */
	struct numbering spans;     /* of gap_list */
	struct gap *gap_list;
	uint32_t gaps_capacity;
	uint32_t operations_capacity;
	struct numbering operations; /* sites of a call and a step of it */

	uint32_t *clocks; /* event * nthreads + thread: events of the thread up to there, from 1 */
	size_t clocks_capacity;
	uint32_t *seqs; /* number of an event in its thread, from 1 */
	uint32_t seqs_capacity;
};

static inline uint32_t coverage_clock(const struct coverage *c, uint32_t event, uint32_t thread)
{
	return c->clocks[(size_t)event * c->order.nthreads + thread];
}

/* The number of a line, and of a function. */
uint32_t coverage_line(struct coverage *c, const struct source_frame *f);
uint32_t coverage_function(struct numbering *functions, const struct source_frame *f);

/* gaps.c: what came between the steps of operations. */
void coverage_gaps(struct coverage *c, const struct trace *t);

#endif
