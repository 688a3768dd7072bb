/* SPDX-License-Identifier: MIT
 *
 * Repairs in words: the blocks, what they cost, and what came of exploring with them in force.
 */
#ifndef LINCHPIN_REPORT_REPAIRS_H
#define LINCHPIN_REPORT_REPAIRS_H

#include "base/text_table.h"
#include "judge/analysis.h"

struct report_repair {
	const struct block *blocks;
	uint32_t nblocks;
	uint64_t disabled;                   /* right classes that it rules out, the published f */
	const struct proof_of_repair *proof; /* NULL: nothing was explored */
};

/* What repairs are printed with. */
struct report_repairs {
	const struct report_repair *list; /* best first */
	uint32_t n;
	uint64_t right;        /* classes that were compared with them: they rule out some */
	bool all;              /* these are all that are right */
	struct srcmap *map;    /* of the run that they are repairs of */
	const char *directory; /* of that run, for commands; NULL: none are named */
	bool circles;          /* threads waited for locks in a circle */
	const struct closure *closure; /* traces of the program as it was compiled */
};

/* Those of an analysis, the first `most`. Free it. */
void report_repairs_collect(const struct analysis *a, uint32_t most, struct report_repairs *to);
void report_repairs_free(struct report_repairs *r);

/* "a.c:41-43 (pop), a.c:50 (push) and ...". */
void report_blocks(FILE *out, const struct block *blocks, uint32_t n);

/* "array_stack.c:41-43 (pop) must be atomic", with all blocks of the repair. Free it. */
char *report_repair_text(const struct report_repair *r);

/* The repairs with ranks, source lines and proofs; those that rule out equally many right classes share
 * a rank. */
void report_repairs(FILE *out, const struct text_style *s, const struct report_repairs *repairs);

/* "proven for this client: all 5 classes, 0.01 s". */
void report_attempt(FILE *out, const struct attempt *attempt);

/* The orders in which the locks of a circle are taken, as lines of text or as notes with a place. Nothing if
 * the class does not end with one. */
void report_lock_order(FILE *out, const struct analysis *a, uint64_t class, bool notes);

#endif
