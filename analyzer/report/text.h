/* SPDX-License-Identifier: MIT
 *
 * Reports as a compiler prints them: "file:line:column: error: ..." with the source line, then what
 * led there.
 */
#ifndef LINCHPIN_REPORT_TEXT_H
#define LINCHPIN_REPORT_TEXT_H

#include "base/text_table.h"
#include "repair/blocks.h"
#include "run/trace.h"
#include "source/map.h"

struct report_repair {
	const struct block *blocks;
	uint32_t nblocks;
	uint64_t disabled; /* correct classes that it rules out, the published f */
	/* 1 explored with it enforced and nothing found, 0 something was found, -1 not tried */
	int verified;
};

/* A class whose history the specification does not allow. */
struct report_violation {
	const struct trace *trace;
	const char *specification;           /* "stack"; NULL: not known */
	const char *why;                     /* one sentence, or NULL */
	uint64_t classes;                    /* that show this violation */
	uint64_t total;                      /* classes in all; 0: not known */
	const struct report_repair *repairs; /* best first; may be none */
	uint32_t nrepairs;
	uint64_t linearizable;    /* correct classes, of which repairs rule out some */
	const struct repair *own; /* of this execution alone, none of `repairs`; may be none */
	uint32_t nown;
	const char *alone; /* operations are wrong one at a time: why; NULL: they are not */
};

/* Prints the place, the sentence, the history, the interleaving with the lines of the first repair
 * marked, and the repairs with their rank; those that rule out equally many correct classes share a
 * rank. */
void report_violation(FILE *out, const struct text_style *s, struct srcmap *m,
		      const struct run *run, const struct report_violation *v);

/* An execution that ended with an error: crash, deadlock, ... `classes` end so. */
void report_outcome(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		    const struct trace *t, uint64_t classes);

/* "array_stack.c:41-43 (pop) must be atomic", with all blocks of the repair. Free it. */
char *report_repair_text(const struct report_repair *r);
/* The repairs with ranks and source lines, as in report_violation. */
void report_repairs(FILE *out, const struct text_style *s, struct srcmap *m,
		    const struct report_repair *repairs, uint32_t n, uint64_t linearizable);

#endif
