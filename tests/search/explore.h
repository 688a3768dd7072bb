/* SPDX-License-Identifier: MIT
 *
 * One search over the target.
 */
#ifndef TEST_SEARCH_EXPLORE_H
#define TEST_SEARCH_EXPLORE_H

#include "format/run_dir.h"
#include "ops.h"

struct setting {
	const char *runtime, *target, *directory; /* libsched.so, the program, for files */
	unsigned max_executions;
	const char *command; /* linchpin: the search in parts is compared as well; NULL */
	const char *policy; /* of malloc; NULL: the one of the program that the model knows */
	const char *equivalence; /* NULL: mazurkiewicz */
	bool stateful;  /* searches of that kind are compared as well */
	bool audit;     /* in them */
};

struct explored {
	struct lp_status status;
	struct record *list; /* what the executions came to: different, sorted by memcmp */
	uint32_t n;
	bool failed; /* the run did not end as it should */
};

/* Explores p by a search ("dfs", "dpor", "random"). */
void explore(struct explored *x, const struct setting *s, const struct program *p,
	     const char *search);
/* The same in parts of at most so many executions, by so many processes. */
void explore_in_parts(struct explored *x, const struct setting *s, const struct program *p,
		      const char *search, unsigned executions, unsigned processes);
void explored_free(struct explored *x);

int compare_records(const void *a, const void *b); /* for qsort */
bool explored_has(const struct explored *x, const struct record *r);

#endif
