/* SPDX-License-Identifier: MIT
 *
 * lin/search/ includes lin/ and base/.
 *
 * The general search for a linearization: any specification, any history.
 */
#ifndef LINCHPIN_LIN_SEARCH_SEARCH_H
#define LINCHPIN_LIN_SEARCH_SEARCH_H

#include "lin/problem.h"

/* What all parts of one check share. */
struct lin_run {
	const struct lin_options *options;
	double deadline;     /* of now_seconds(); 0: none */
	size_t memory_limit; /* bytes for memo tables */
	size_t memory;       /* in use; atomic */
	size_t step_limit;   /* of each search; 0: none */
	size_t steps;        /* of all searches; atomic */
	int stop;            /* atomic: nobody needs the answer any more */
};

struct search_result {
	enum lin_verdict verdict;
	/* positions in part->ops: a linearization, or the deepest partial one; malloc */
	uint32_t *order;
	uint32_t norder;
	uint32_t blocked; /* on a violation: the operation that could not follow the deepest one */
	size_t steps;     /* configurations visited */
};

/* Searches with up to `workers` threads. `order` is filled only if want_order or if the verdict is
 * LIN_UNKNOWN. */
void search_part(const struct lin_part *part, struct lin_run *run, int workers, bool want_order,
		 struct search_result *out);

#endif
