/* SPDX-License-Identifier: MIT
 *
 * A trace as text: in full (`linchpin trace`), its history, and the part of it that explains a
 * report.
 */
#ifndef LINCHPIN_REPORT_TRACE_H
#define LINCHPIN_REPORT_TRACE_H

#include "base/text_table.h"
#include "repair/blocks.h"
#include "run/trace.h"
#include "source/map.h"

/* Every event in a row: number, place, function, and the event in the column of its thread (or with
 * the thread's name, where so many columns do not fit). At the end the outcome, with who waits for
 * what at which line. */
void trace_text_dump(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		     const struct trace *t);

/* Calls and returns of operations, a column a thread. */
void trace_text_history(FILE *out, const struct text_style *s, struct srcmap *m,
			const struct run *run, const struct trace *t, unsigned indent);

/* The accesses that conflict with another thread's, with the source line beside them. */
struct interleaving {
	const char *heading;        /* a line before it, if it has rows; may be NULL */
	bool all;                   /* also what is outside operations */
	const struct block *marked; /* rows inside these blocks are marked with `>`; may be NULL */
	uint32_t nmarked;
	uint32_t max_rows; /* only the last ones; 0: all */
};

void trace_text_interleaving(FILE *out, const struct text_style *s, struct srcmap *m,
			     const struct run *run, const struct trace *t,
			     const struct interleaving *what, unsigned indent);

/* Per event: is it one that others see, a call or return of an operation, or what a thread waits for in
 * the end? Free it. */
bool *trace_seen(const struct trace *t);

/* Per event: does it conflict with one of another thread? Free it. */
bool *trace_conflicting(const struct trace *t);

#endif
