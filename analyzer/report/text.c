/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include "report/event.h"
#include "report/leaks.h"
#include "report/model.h"
#include "report/outcome.h"
#include "report/signals.h"
#include "report/trace.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 60 /* of an interleaving */

static void error_line(FILE *out, const struct text_style *s, struct srcmap *m,
		       const struct source_frame *f, const char *sentence)
{
	fprintf(out, "%s%s:%s %serror:%s %s%s%s\n", text_begin(s, TEXT_BOLD),
		srcmap_place(m, f, true), text_end(s, TEXT_BOLD), text_begin(s, TEXT_RED),
		text_end(s, TEXT_RED), text_begin(s, TEXT_BOLD), sentence, text_end(s, TEXT_BOLD));
}

static void source_line(FILE *out, struct srcmap *m, const char *file, uint32_t line)
{
	const char *raw = srcmap_line_text(m, file, line);
	char *text;

	if (!raw)
		return;
	text = text_printable(raw);
	fprintf(out, "%6u | %s\n", line, text);
	free(text);
}

/* The source line with a caret under the column. DWARF counts bytes from 1; a tab is one, and one
 * blank when printed. */
static void source_excerpt(FILE *out, const struct text_style *s, struct srcmap *m,
			   const struct source_frame *f)
{
	const char *raw = f && f->line ? srcmap_line_text(m, f->file, f->line) : NULL;
	unsigned columns = 0;

	if (!raw)
		return;
	source_line(out, m, f->file, f->line);
	if (!f->column || f->column > strlen(raw))
		return;
	for (uint32_t i = 0; i + 1 < f->column; i++)
		columns += ((unsigned char)raw[i] & 0xc0) != 0x80;
	fprintf(out, "%6s | %*s%s^%s\n", "", (int)columns, "", text_begin(s, TEXT_RED),
		text_end(s, TEXT_RED));
}

static void heading(FILE *out, const struct text_style *s, const char *text)
{
	fprintf(out, "  %s%s%s\n", text_begin(s, TEXT_BOLD), text, text_end(s, TEXT_BOLD));
}

static void print_repairs(FILE *out, const struct text_style *s,
			  const struct report_repairs *repairs)
{
	if (!repairs || !repairs->n)
		return;
	heading(out, s, repairs->n > 1 ? "repairs, best first:" : "repair:");
	report_repairs(out, s, repairs);
}

static char *violation_sentence(const struct report_violation *v)
{
	char *reason = violation_message(v->why, v->specification), *text;

	if (v->total)
		text = xasprintf("%s (class %llu; %llu of %llu %s)", reason,
				 (unsigned long long)v->trace->number,
				 (unsigned long long)v->classes, (unsigned long long)v->total,
				 plural(v->total, "class", "classes"));
	else
		text = xstrdup(reason);
	free(reason);
	return text;
}

static void sections(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		     const struct trace *t, struct interleaving what)
{
	char *title =
		xasprintf("  %sinterleaving:%s", text_begin(s, TEXT_BOLD), text_end(s, TEXT_BOLD));

	if (t->nops) {
		heading(out, s, "history:");
		trace_text_history(out, s, m, run, t, 4);
	}
	what.heading = title;
	trace_text_interleaving(out, s, m, run, t, &what, 2);
	free(title);
}

static void mark_repair(struct interleaving *what, const struct report_repairs *repairs)
{
	if (!repairs || !repairs->n)
		return;
	what->marked = repairs->list[0].blocks;
	what->nmarked = repairs->list[0].nblocks;
}

void report_violation(FILE *out, const struct text_style *s, struct srcmap *m,
		      const struct run *run, const struct report_violation *v)
{
	struct source_frame place = violation_place(m, v->trace, v->repairs);
	struct interleaving what = { .max_rows = MAX_ROWS };
	char *sentence = violation_sentence(v);

	mark_repair(&what, v->repairs);
	error_line(out, s, m, &place, sentence);
	source_excerpt(out, s, m, &place);
	sections(out, s, m, run, v->trace, what);
	print_repairs(out, s, v->repairs);
	if (v->alone)
		fprintf(out,
			"  note: the operations are wrong even one at a time, so no atomic block "
			"is "
			"a repair: %s\n",
			v->alone);
	for (uint32_t i = 0; i < v->nown; i++) {
		fputs("  this execution alone would also be excluded by: ", out);
		report_blocks(out, v->own[i].blocks, v->own[i].nblocks);
		fputc('\n', out);
	}
	free(sentence);
}

void report_outcome(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		    const struct report_end *e)
{
	struct interleaving what = { .all = true, .max_rows = MAX_ROWS };
	const struct trace *t = e->trace;
	const struct source_frame *place = outcome_place(m, t);
	char *sentence = outcome_sentence(m, run, t), *text;

	mark_repair(&what, e->repairs);
	text = xasprintf("%s (class %llu; %llu such %s)", sentence, (unsigned long long)t->number,
			 (unsigned long long)e->classes, plural(e->classes, "class", "classes"));
	error_line(out, s, m, place, text);
	source_excerpt(out, s, m, place);
	if (e->serial && e->analysis && e->analysis->several)
		fputs("  note: it also ends so with operations one at a time; what has to be atomic holds several of "
		      "them\n",
		      out);
	else if (e->serial)
		fprintf(out,
			"  note: it also ends so if %s, one at a time, so no atomic block is a "
			"repair\n",
			t->nops ? "operations, and what threads do between them, are each executed "
				  "as a whole"
				: "what each thread does is executed as a whole");
	if (t->outcome.kind != LP_OUT_DEADLOCK && t->outcome.kind != LP_OUT_LIVELOCK &&
	    t->outcome.kind != LP_OUT_NO_PROGRESS && t->outcome.kind != LP_OUT_DATA_RACE)
		outcome_calls(out, m, t);
	outcome_notes(out, s, m, run, t);
	if (t->outcome.kind == LP_OUT_LEAK && e->analysis)
		report_leaking(out, e->analysis, e->classes);
	report_signals(out, m, run, t);
	sections(out, s, m, run, t, what);
	if (e->analysis)
		report_lock_order(out, e->analysis, t->number, false);
	print_repairs(out, s, e->repairs);
	free(text);
	free(sentence);
}
