/* SPDX-License-Identifier: MIT
 *
 * The part of a trace that explains a report: calls, returns, and the accesses that conflict with
 * another thread's.
 *
 * Which accesses conflict: sorted by object, offset and end, each access is compared with those
 * that begin before it ends. Equal accesses of one thread count once, so a loop costs no more than
 * its body.
 *
 * Rows that repeat, as those of a loop, are there once, with how often (fold.h).
 */
#include "report/trace.h"

#include "base/numbering.h"
#include "report/event.h"
#include "report/fold.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINE     100 /* characters of a source line */
#define MAX_ACCESSES 72  /* of a row's accesses; of more, the first and the last are shown */

/* What accesses of one thread have in common; `conflict` is found out. */
struct footprint {
	uint32_t region, size;
	uint64_t offset;
	uint16_t thread;
	uint8_t access;
	bool conflict;
};

static int compare_footprints(const void *a, const void *b)
{
	const struct footprint *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->access > y->access) - (x->access < y->access);
}

/* A write of the value that was there already is a write here: without it the story would have gaps. */
static struct footprint footprint_of(const struct event *ev)
{
	return (struct footprint){
		.region = ev->region,
		.size = ev->size,
		.offset = ev->offset,
		.thread = ev->thread,
		.access = ev->access ? (uint8_t)lp_kind_access(ev->kind) : LP_TOUCHES_NOT,
	};
}

static void find_conflicts(struct footprint *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1;
		     j < n && f[j].region == f[i].region && f[j].offset - f[i].offset < f[i].size;
		     j++) {
			if (f[j].thread != f[i].thread &&
			    lp_access_conflict(f[i].access, f[j].access))
				f[i].conflict = f[j].conflict = true;
		}
	}
}

bool *trace_conflicting(const struct trace *t)
{
	struct footprint *f = xreallocarray(NULL, t->nevents, sizeof *f);
	bool *conflicting = xcalloc(t->nevents, sizeof *conflicting);
	uint32_t n = 0, unique = 0;

	for (uint32_t i = 0; i < t->nevents; i++)
		if (t->events[i].access && t->events[i].region != NONE)
			f[n++] = footprint_of(&t->events[i]);
	if (n)
		qsort(f, n, sizeof *f, compare_footprints);
	for (uint32_t i = 0; i < n; i++)
		if (!i || compare_footprints(&f[i], &f[unique - 1]))
			f[unique++] = f[i];
	find_conflicts(f, unique);
	for (uint32_t i = 0; i < t->nevents; i++) {
		struct footprint key = footprint_of(&t->events[i]), *found;

		if (!t->events[i].access || t->events[i].region == NONE)
			continue;
		found = bsearch(&key, f, unique, sizeof *f, compare_footprints);
		conflicting[i] = found && found->conflict;
	}
	free(f);
	return conflicting;
}

/* A row of the table: consecutive accesses of one thread on one source line. */
struct row {
	const struct source_frame *frame;
	uint32_t thread, op;
	char *text;  /* its accesses */
	char *first; /* the first of several */
	uint32_t naccesses;
	bool access, shortened;
	bool marked; /* in a block of the repair */
};

struct picture {
	struct srcmap *m;
	const struct run *run;
	const struct trace *t;
	const struct interleaving *what;
	struct row *rows;
	uint32_t nrows, capacity;
};

static char *clipped(char *text)
{
	size_t n = MAX_LINE;

	if (strlen(text) <= MAX_LINE)
		return text;
	while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	strcpy(text + (n > 3 ? n - 3 : 0), "...");
	return text;
}

static bool same_line(const struct source_frame *a, const struct source_frame *b)
{
	return a && b && a->line && a->line == b->line && a->file == b->file;
}

/* One more access in a row. What comes first and last says most: where a loop begins, what is written in
 * the end. */
static void extend_row(struct row *row, char *text)
{
	bool fits = !row->shortened && strlen(row->text) + strlen(text) + 2 <= MAX_ACCESSES;
	char *all;

	if (!row->first)
		row->first = xstrdup(row->text);
	row->naccesses++;
	if (fits || row->naccesses == 2) {
		all = xasprintf("%s, %s", row->text, text);
	} else {
		all = xasprintf("%s, (%u more), %s", row->first, row->naccesses - 2, text);
		row->shortened = true;
	}
	free(text);
	free(row->text);
	row->text = all;
}

/* Is the access that the row begins with made again? Then it is the next round of a loop. */
static bool next_round(const struct row *row, const char *text)
{
	return !strcmp(row->first ? row->first : row->text, text);
}

/* A call at a line of the block is inside it, however deep the access is below. */
static bool in_block(const struct source_frame *f, const struct block *b)
{
	return f->line >= b->first && f->line <= b->last && f->file && f->function &&
	       !strcmp(f->file, b->file) && !strcmp(f->function, b->function);
}

static bool marked(const struct picture *p, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n = p->what->nmarked ? srcmap_frames(p->m, site, &frames) : 0;

	for (uint32_t d = 0; d < n; d++)
		for (uint32_t i = 0; i < p->what->nmarked; i++)
			if (in_block(&frames[d], &p->what->marked[i]))
				return true;
	return false;
}

static void add_row(struct picture *p, uint32_t i)
{
	const struct event *ev = &p->t->events[i];
	bool access = ev->kind != LP_EV_CALL && ev->kind != LP_EV_RETURN;
	const struct source_frame *f = access ? srcmap_own_frame(p->m, ev->site) : NULL;
	struct row *last = p->nrows ? &p->rows[p->nrows - 1] : NULL;
	char *text = event_short_text(p->m, p->run, p->t, i);

	if (last && access && last->access && last->thread == ev->thread && last->op == ev->op &&
	    same_line(last->frame, f) && !next_round(last, text)) {
		extend_row(last, text);
		return;
	}
	VEC_GROW(p->rows, p->nrows, p->capacity);
	p->rows[p->nrows++] = (struct row){
		.frame = f,
		.thread = ev->thread,
		.op = ev->op,
		.text = text,
		.naccesses = 1,
		.access = access,
		.marked = access && marked(p, ev->site),
	};
}

static void free_row(struct row *row)
{
	free(row->text);
	free(row->first);
}

static void free_rows(struct picture *p)
{
	for (uint32_t i = 0; i < p->nrows; i++)
		free_row(&p->rows[i]);
	free(p->rows);
}

/* Does a thread that is stuck at the end wait for what this event is about? */
static bool awaited(const struct trace *t, const struct event *ev)
{
	for (uint32_t i = 0; ev->location != NONE && i < t->outcome.nwaiters; i++)
		if (t->outcome.waiters[i].location == ev->location)
			return true;
	return false;
}

bool *trace_seen(const struct trace *t)
{
	bool *seen = trace_conflicting(t);

	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];

		seen[i] |= ev->op != NONE && (ev->kind == LP_EV_CALL || ev->kind == LP_EV_RETURN);
		seen[i] |= ev->access && awaited(t, ev);
	}
	return seen;
}

static void collect(struct picture *p)
{
	const struct trace *t = p->t;
	bool *conflicting = trace_conflicting(t);

	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];

		if (ev->op != NONE && (ev->kind == LP_EV_CALL || ev->kind == LP_EV_RETURN))
			add_row(p, i);
		else if (conflicting[i] &&
			 (p->what->all || ev->op != NONE || marked(p, ev->site)))
			add_row(p, i);
		else if (p->what->all && ev->access && awaited(t, ev))
			add_row(p, i);
	}
	free(conflicting);
}

/* Rows that look the same get the same number. */
static uint32_t number_of(struct numbering *numbers, const struct row *row)
{
	char *key = xasprintf("%u %d %u %s %s", row->thread, row->access && row->op != NONE,
			      row->frame ? row->frame->line : 0,
			      row->frame && row->frame->file ? row->frame->file : "", row->text);
	uint32_t number;
	bool added;

	number = numbering_add(numbers, key, strlen(key), &added);
	free(key);
	return number;
}

static struct row fold_row(const struct row *last, const struct fold *f)
{
	char *times = text_count(f->times - 1);
	struct row row = { .thread = last->thread, .op = NONE };

	row.text = f->period > 1 ? xasprintf("... these %u rows %s more times", f->period, times)
				 : xasprintf("... %s more times", times);
	free(times);
	return row;
}

static void fold_rows(struct picture *p)
{
	uint32_t *number = xreallocarray(NULL, p->nrows, sizeof *number), to = 0;
	struct numbering numbers = { 0 };

	for (uint32_t i = 0; i < p->nrows; i++)
		number[i] = number_of(&numbers, &p->rows[i]);
	for (uint32_t i = 0, end; i < p->nrows; i = end) {
		struct fold f = fold_at(number, p->nrows, i);

		end = i + f.period * f.times;
		for (uint32_t k = i; k < end; k++) {
			if (k < i + f.period)
				p->rows[to++] = p->rows[k];
			else
				free_row(&p->rows[k]);
		}
		if (f.times > 1) {
			p->rows[to] = fold_row(&p->rows[to - 1], &f);
			to++;
		}
	}
	p->nrows = to;
	numbering_free(&numbers);
	free(number);
}

static char *source_text(const struct picture *p, const struct source_frame *f)
{
	const char *line = f->line ? srcmap_line_text(p->m, f->file, f->line) : NULL;

	if (!line)
		return xstrdup(f->function ? f->function : "");
	return clipped(text_printable(line + strspn(line, " \t")));
}

enum { MARK, THREADS };

/* Columns: mark, threads, place, source line. */
static void fill(struct text_table *table, const struct picture *p, const uint32_t *column,
		 uint32_t count, uint32_t first)
{
	for (uint32_t i = first; i < p->nrows; i++) {
		struct row *row = &p->rows[i];

		table_row(table);
		if (row->marked)
			table_set(table, MARK, xstrdup(">"));
		table_set(table, column[row->thread],
			  row->access && row->op != NONE ? xasprintf("  %s", row->text)
							 : xstrdup(row->text));
		if (row->frame) {
			table_set(table, THREADS + count,
				  xstrdup(srcmap_short_place(p->m, row->frame)));
			table_set(table, THREADS + count + 1, source_text(p, row->frame));
		}
	}
}

/* Columns of the threads that have a row. */
static uint32_t *columns_of(const struct picture *p, uint32_t first, uint32_t *count)
{
	uint32_t *column = xcalloc(p->t->nthreads, sizeof *column);

	for (uint32_t i = first; i < p->nrows; i++)
		column[p->rows[i].thread] = 1;
	*count = 0;
	for (uint32_t i = 0; i < p->t->nthreads; i++)
		column[i] = column[i] ? THREADS + (*count)++ : NONE;
	return column;
}

static void print_picture(FILE *out, const struct text_style *s, const struct picture *p,
			  uint32_t first, unsigned indent)
{
	uint32_t count, *column = columns_of(p, first, &count);
	struct text_table table;

	table_init(&table, THREADS + count + 2);
	table_column(&table, MARK, NULL, TEXT_RED);
	for (uint32_t i = 0; i < p->t->nthreads; i++) {
		char *name;

		if (column[i] == NONE)
			continue;
		name = xasprintf("T%s", p->run->threads[i].name);
		table_column(&table, column[i], name, text_thread_color(i));
		table.columns[column[i]].last = true;
		free(name);
	}
	table.columns[THREADS + count].keep = true;
	fill(&table, p, column, count, first);
	table_print(out, s, &table, indent);
	table_free(&table);
	free(column);
}

void trace_text_interleaving(FILE *out, const struct text_style *s, struct srcmap *m,
			     const struct run *run, const struct trace *t,
			     const struct interleaving *what, unsigned indent)
{
	struct picture p = { .m = m, .run = run, .t = t, .what = what };
	uint32_t first = 0;

	collect(&p);
	fold_rows(&p);
	if (what->max_rows && p.nrows > what->max_rows)
		first = p.nrows - what->max_rows;
	if (p.nrows && what->heading)
		fprintf(out, "%s\n", what->heading);
	if (first)
		fprintf(out, "%*s... %u earlier %s: `linchpin trace` shows all\n", (int)indent, "",
			first, plural(first, "row", "rows"));
	if (p.nrows)
		print_picture(out, s, &p, first, indent);
	free_rows(&p);
}
