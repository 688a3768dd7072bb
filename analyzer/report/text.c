/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include "report/event.h"
#include "report/outcome.h"
#include "report/trace.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ROWS        60 /* of an interleaving */
#define MAX_BLOCK_LINES 12 /* of a block's source */

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

static void block_text(FILE *f, const struct block *b)
{
	fprintf(f, "%s:%u", b->file ? b->file : "?", b->first);
	if (b->last != b->first)
		fprintf(f, "-%u", b->last);
	if (b->function)
		fprintf(f, " (%s)", b->function);
}

static void blocks_text(FILE *f, const struct block *blocks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			fputs(i + 1 < n ? ", " : " and ", f);
		block_text(f, &blocks[i]);
	}
}

char *report_repair_text(const struct report_repair *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return xstrdup("");
	blocks_text(f, r->blocks, r->nblocks);
	fputs(r->nblocks > 1 ? " must each be atomic" : " must be atomic", f);
	fclose(f);
	return text;
}

static void block_source(FILE *out, struct srcmap *m, const struct block *b)
{
	uint32_t n = b->last >= b->first ? b->last - b->first : 0;

	if (!b->file || !srcmap_line_text(m, b->file, b->first))
		return;
	for (uint32_t i = 0; i <= n; i++) {
		fputs("     ", out);
		if (n >= MAX_BLOCK_LINES && i == MAX_BLOCK_LINES - 2) {
			fprintf(out, "%6s |\n", "...");
			i = n - 1;
			continue;
		}
		source_line(out, m, b->file, b->first + i);
	}
}

static void repair_cost(FILE *out, const struct report_repair *r, uint64_t linearizable)
{
	if (r->disabled)
		fprintf(out, "; rules out %llu of %llu correct %s", (unsigned long long)r->disabled,
			(unsigned long long)linearizable, plural(linearizable, "class", "classes"));
	else
		fputs("; rules out no correct class", out);
	if (r->verified >= 0)
		fputs(r->verified ? "; verified" : "; not sufficient: violations remain", out);
}

void report_repairs(FILE *out, const struct text_style *s, struct srcmap *m,
		    const struct report_repair *repairs, uint32_t n, uint64_t linearizable)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct report_repair *r = &repairs[i];
		bool same_before = i > 0 && repairs[i - 1].disabled == r->disabled;
		bool same_after = i + 1 < n && repairs[i + 1].disabled == r->disabled;
		char *text = report_repair_text(r);

		if (!same_before)
			rank = i + 1;
		fprintf(out, "  %3u. %s%s%s", rank, text_begin(s, TEXT_GREEN), text,
			text_end(s, TEXT_GREEN));
		repair_cost(out, r, linearizable);
		fputs(same_before || same_after ? " (tie)\n" : "\n", out);
		for (uint32_t j = 0; j < r->nblocks; j++)
			block_source(out, m, &r->blocks[j]);
		free(text);
	}
}

/* The frame of the trace at the beginning of the block, for its column. */
static const struct source_frame *frame_in_block(struct srcmap *m, const struct trace *t,
						 const struct block *b)
{
	const struct source_frame *best = NULL, *frames;

	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t n = srcmap_frames(m, t->events[i].site, &frames);

		for (uint32_t j = 0; j < n; j++) {
			const struct source_frame *f = &frames[j];

			if (f->file && f->function && f->line == b->first && b->file &&
			    b->function && !strcmp(f->file, b->file) &&
			    !strcmp(f->function, b->function) &&
			    (!best || f->column < best->column))
				best = f;
		}
	}
	return best;
}

/* Where to point: the first block of the first repair, or the last access that conflicts, or the
 * last event. */
static struct source_frame violation_place(struct srcmap *m, const struct report_violation *v)
{
	const struct source_frame *f = NULL;
	const struct block *b = v->nrepairs && v->repairs[0].nblocks ? v->repairs[0].blocks : NULL;
	bool *conflicting;

	if (b)
		f = frame_in_block(m, v->trace, b);
	if (!f && b)
		return (struct source_frame){ .function = b->function,
					      .file = b->file,
					      .line = b->first };
	conflicting = trace_conflicting(v->trace);
	for (uint32_t i = v->trace->nevents; !f && i-- > 0;)
		if (conflicting[i] && v->trace->events[i].op != NONE)
			f = srcmap_known_frame(m, v->trace->events[i].site);
	free(conflicting);
	return f ? *f : (struct source_frame){ 0 };
}

static char *violation_reason(const struct report_violation *v)
{
	if (v->why)
		return xstrdup(v->why);
	if (v->specification)
		return xasprintf("no sequential order of %s operations gives these results",
				 v->specification);
	return xstrdup("no sequential order of the operations gives these results");
}

static char *violation_sentence(const struct report_violation *v)
{
	char *reason = violation_reason(v), *text;

	if (v->total)
		text = xasprintf("not linearizable: %s (class %llu; %llu of %llu %s)", reason,
				 (unsigned long long)v->trace->number,
				 (unsigned long long)v->classes, (unsigned long long)v->total,
				 plural(v->total, "class", "classes"));
	else
		text = xasprintf("not linearizable: %s", reason);
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

void report_violation(FILE *out, const struct text_style *s, struct srcmap *m,
		      const struct run *run, const struct report_violation *v)
{
	struct source_frame place = violation_place(m, v);
	struct interleaving what = { .max_rows = MAX_ROWS };
	char *sentence = violation_sentence(v);

	if (v->nrepairs) {
		what.marked = v->repairs[0].blocks;
		what.nmarked = v->repairs[0].nblocks;
	}
	error_line(out, s, m, &place, sentence);
	source_excerpt(out, s, m, &place);
	sections(out, s, m, run, v->trace, what);
	if (v->nrepairs) {
		heading(out, s, v->nrepairs > 1 ? "repairs, best first:" : "repair:");
		report_repairs(out, s, m, v->repairs, v->nrepairs, v->linearizable);
	}
	if (v->alone)
		fprintf(out,
			"  note: the operations are wrong even one at a time, so no atomic block "
			"is "
			"a repair: %s\n",
			v->alone);
	for (uint32_t i = 0; i < v->nown; i++) {
		fputs("  this execution alone would also be excluded by: ", out);
		blocks_text(out, v->own[i].blocks, v->own[i].nblocks);
		fputc('\n', out);
	}
	free(sentence);
}

void report_outcome(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		    const struct trace *t, uint64_t classes)
{
	const struct interleaving what = { .all = true, .max_rows = MAX_ROWS };
	const struct source_frame *place = outcome_place(m, t);
	char *sentence = outcome_sentence(m, run, t), *text;

	text = xasprintf("%s (class %llu; %llu such %s)", sentence, (unsigned long long)t->number,
			 (unsigned long long)classes, plural(classes, "class", "classes"));
	error_line(out, s, m, place, text);
	source_excerpt(out, s, m, place);
	if (t->outcome.kind != LP_OUT_DEADLOCK && t->outcome.kind != LP_OUT_LIVELOCK &&
	    t->outcome.kind != LP_OUT_NO_PROGRESS)
		outcome_calls(out, m, t);
	outcome_notes(out, s, m, run, t);
	sections(out, s, m, run, t, what);
	free(text);
	free(sentence);
}
