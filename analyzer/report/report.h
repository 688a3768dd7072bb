/* SPDX-License-Identifier: MIT
 *
 * report/ prints what was found, as text and as JSON. It includes base/, run/, source/, repair/,
 * judge/, fix/, lin/, lin/format/ and lin/picture/.
 *
 * From a run directory to what the user reads, and to an exit code. `run` and `report` end here.
 */
#ifndef LINCHPIN_REPORT_REPORT_H
#define LINCHPIN_REPORT_REPORT_H

#include "judge/analysis.h"

#define PROVE_STANDARD 3

struct report_options {
	const char *check;         /* NULL: as the run was made */
	const char *specification; /* for objects without one; NULL: none */
	const char *json;          /* a file, "-" for standard output; NULL: none */
	const char *html, *sarif, *junit; /* files; NULL: none */
	bool quiet, verbose;
	bool require_complete;
	bool asked;     /* the user said what to check: if nothing was checked, that is an error */
	bool warned;    /* the warning about missing debug information was printed */
	bool replay;    /* execute violations again */
	uint64_t sought; /* a class that is judged in any case; 0: none */
	bool patient; /* in all the time of the run, see judge/prove.h */
	uint64_t prove; /* repairs to explore again */
	bool races, races_all, races_no_volatile; /* see race/race.h */
	const char *suppressions;                 /* a file, see race/suppress.h; NULL: none */
	bool leaks;    /* they are errors */
	bool smaller;  /* look for a smaller client */
	bool coverage;
	const char *lcov; /* a file for the coverage; NULL: none */
	uint64_t jobs;    /* processes that judge classes; 0 and 1: one */
	bool unrecorded; /* the run directory will not remain: no command names it */
	bool histories; /* print the different histories instead of the report */
};

/* Prints one finding of a search that goes on. `directory` is the run directory's name for the user. */
void report_first(FILE *out, struct analysis *a, const struct finding *f,
		  const struct report_options *options, const char *directory);

/* Analyses the run and prints the report; errors are printed too. Returns the exit code. */
int report_directory(const char *directory, const struct report_options *options);

#endif
