/* SPDX-License-Identifier: MIT
 *
 * What linchpin finds in a program, against what the checker knows of it.
 */
#ifndef TEST_WAITING_COMPARE_H
#define TEST_WAITING_COMPARE_H

#include "checker.h"

enum build { BUILD_PLAIN, BUILD_UNOPTIMIZED, BUILD_HOOKS, BUILDS };

/* A way to explore a program. */
struct setup {
	const char *search, *name;
	enum build build;
	bool exhaustive; /* finds everything, or says that it has not finished */
};

extern const struct setup setups[];
#define SETUPS 6

/* Sums over programs, a line of the table for each setup. */
struct tally {
	uint64_t programs, complete, bounded,
		over; /* over: the budget of executions or time ended */
	uint64_t ends, lost_ends, livelocks, lost_livelocks; /* of complete and bounded searches */
	uint64_t unreported; /* programs that lost something although the search was complete */
	uint64_t wrong;      /* programs with an end or livelock that is none, and the like */
	uint64_t classes, executions;
};

struct exploration {
	const char *linchpin;
	const char *programs[BUILDS];         /* the compiled file */
	unsigned index;                       /* of the program in it */
	const char *directory;                /* for what a run leaves */
	unsigned max_executions, max_seconds; /* budget of an exhaustive search */
};

/* Explores one program in one way. Adds to the tally, prints each difference, and returns whether
 * there is none. *classes becomes their number, 0 if the search is not complete. */
bool compare(const struct checker *c, const struct setup *setup, const struct exploration *x,
	     struct tally *tally, uint64_t *classes);

#endif
