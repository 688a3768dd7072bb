/* SPDX-License-Identifier: MIT
 *
 * Reports as a compiler prints them: "file:line:column: error: ..." with the source line, then what
 * led there.
 */
#ifndef LINCHPIN_REPORT_TEXT_H
#define LINCHPIN_REPORT_TEXT_H

#include "base/text_table.h"
#include "report/repairs.h"
#include "run/trace.h"
#include "source/map.h"

/* A class whose history the specification does not allow. */
struct report_violation {
	const struct trace *trace;
	const char *specification;           /* "stack"; NULL: not known */
	const char *why;                     /* one sentence, or NULL */
	uint64_t classes;                    /* that show this violation */
	uint64_t total;                      /* classes in all; 0: not known */
	const struct report_repairs *repairs; /* printed with it; NULL: none */
	const struct repair *own; /* of this execution alone, none of `repairs`; may be none */
	uint32_t nown;
	const char *alone; /* operations are wrong one at a time: why; NULL: they are not */
};

/* Prints the place, the sentence, the history, the interleaving with the lines of the first repair
 * marked, and the repairs with their rank. */
void report_violation(FILE *out, const struct text_style *s, struct srcmap *m,
		      const struct run *run, const struct report_violation *v);

/* An execution that ended with an error: crash, deadlock, ... */
struct report_end {
	const struct trace *trace;
	uint64_t classes;                     /* that end so */
	const struct report_repairs *repairs; /* printed with it; NULL: none */
	bool serial;                          /* it also ends so with operations one at a time */
	const struct analysis *analysis;      /* for the orders of locks; NULL: nothing of them */
};

void report_outcome(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		    const struct report_end *e);

#endif
