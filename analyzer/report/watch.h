/* SPDX-License-Identifier: MIT
 *
 * A process beside the search that judges its classes as they are found, and prints the first
 * violation as soon as it is confirmed.
 */
#ifndef LINCHPIN_REPORT_WATCH_H
#define LINCHPIN_REPORT_WATCH_H

#include "launch/progress.h"
#include "report/report.h"

struct watch {
	volatile struct judged *judged; /* NULL: there is no such process */
	int pid;
};

struct watch_options {
	const char *directory; /* of the search */
	const char *shown;     /* how it is called in what is printed */
	const struct report_options *report;
	const char *check;
	uint64_t stop_at; /* violations that are confirmed; 0: none but the first */
	bool print;       /* the first one, on standard error */
};

/* Starts it before the search. If it cannot be started, the search is not watched. */
void watch_begin(struct watch *w, const struct watch_options *options);

/* Ends it, after the search. */
void watch_end(struct watch *w);

#endif
