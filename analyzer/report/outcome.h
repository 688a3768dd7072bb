/* SPDX-License-Identifier: MIT
 *
 * How an execution ended, in words: what, where, and who waits for whom.
 */
#ifndef LINCHPIN_REPORT_OUTCOME_H
#define LINCHPIN_REPORT_OUTCOME_H

#include "base/text_table.h"
#include "run/trace.h"
#include "source/map.h"

/* "crash: segmentation fault at 0x0 in pop (T0.1)": one line without newline or place. Free it. */
char *outcome_sentence(struct srcmap *m, const struct run *run, const struct trace *t);
/* Where it happened; NULL if that is not known. */
const struct source_frame *outcome_place(struct srcmap *m, const struct trace *t);
/* The site of that place, or NONE. */
uint32_t outcome_site(const struct trace *t);

/* The frames that led there, outermost first, that of the place last: how many. Behind them, up to
 * *all, are what was called from there. */
uint32_t outcome_frames(struct srcmap *m, const struct trace *t, const struct source_frame **frames,
			uint32_t *all);

/* A line for each call that led there, innermost first; before them what was called from there, if
 * it happened in a library. */
void outcome_calls(FILE *out, struct srcmap *m, const struct trace *t);

/* "PLACE: note: ..." for each thread that waits, for the free before a use after free, and so
 * on. */
void outcome_notes(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		   const struct trace *t);

/* "outcome: SENTENCE" and the notes. */
void outcome_text(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		  const struct trace *t);

/* "file.c:41:7: note: ..." */
void report_note(FILE *out, const struct text_style *s, struct srcmap *m, const struct source_frame *f,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A line for each call that led to the site, innermost first. */
void site_callers(FILE *out, struct srcmap *m, uint32_t site);

/* race_notes.c: both accesses of a data race, each with the locks that its thread held. */
void race_notes(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		const struct trace *t);

#endif
