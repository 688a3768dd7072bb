/* SPDX-License-Identifier: MIT */
#include "report/trace.h"

#include "report/event.h"
#include "report/outcome.h"

#include <stdlib.h>
#include <string.h>

#define MIN_THREAD_COLUMN 16

/* Columns for the threads that do something: column[thread] is first, first + 1, ... or NONE. */
static uint32_t *thread_columns(const struct trace *t, uint32_t first, uint32_t *count)
{
	uint32_t *column = xreallocarray(NULL, t->nthreads, sizeof *column);

	memset(column, 0, t->nthreads * sizeof *column);
	for (uint32_t i = 0; i < t->nevents; i++)
		column[t->events[i].thread] = 1;
	*count = 0;
	for (uint32_t i = 0; i < t->nthreads; i++)
		column[i] = column[i] ? first + (*count)++ : NONE;
	return column;
}

static void thread_headings(struct text_table *table, const struct run *run, const struct trace *t,
			    const uint32_t *column)
{
	for (uint32_t i = 0; i < t->nthreads; i++) {
		char *name;

		if (column[i] == NONE)
			continue;
		name = xasprintf("T%s", run->threads[i].name);
		table_column(table, column[i], name, text_thread_color(i));
		table->columns[column[i]].last = true;
		free(name);
	}
}

static char *indented(char *text, bool inside)
{
	char *s;

	if (!inside)
		return text;
	s = xasprintf("  %s", text);
	free(text);
	return s;
}

enum { DUMP_NUMBER, DUMP_PLACE, DUMP_FUNCTION, DUMP_THREADS };

/* From the most informative to the narrowest. */
enum layout {
	LAYOUT_FULL,
	LAYOUT_SHORT, /* places without directories */
	LAYOUT_LIST,  /* and the thread's name instead of a column for each */
};

static void dump_row(struct text_table *table, struct srcmap *m, const struct run *run,
		     const struct trace *t, uint32_t i, uint32_t column, enum layout layout)
{
	const struct event *ev = &t->events[i];
	const struct source_frame *f = srcmap_known_frame(m, ev->site);
	bool inside = ev->op != NONE && ev->kind != LP_EV_CALL && ev->kind != LP_EV_RETURN;

	table_row(table);
	table_set(table, DUMP_NUMBER, xasprintf("%u", i + 1));
	table_set(table, DUMP_PLACE,
		  xstrdup(layout == LAYOUT_FULL ? srcmap_place(m, f, false)
						: srcmap_short_place(m, f)));
	if (f && f->function && f->file)
		table_set(table, DUMP_FUNCTION, text_printable(f->function));
	if (layout == LAYOUT_LIST)
		table_set(table, DUMP_THREADS, xasprintf("T%s", run->threads[ev->thread].name));
	table_set(table, layout == LAYOUT_LIST ? DUMP_THREADS + 1 : column,
		  indented(event_text(m, run, t, i), inside));
}

static void dump_table(struct text_table *table, struct srcmap *m, const struct run *run,
		       const struct trace *t, enum layout layout)
{
	uint32_t count, *column = thread_columns(t, DUMP_THREADS, &count);

	table_init(table, DUMP_THREADS + (layout == LAYOUT_LIST ? 2 : count));
	table_column(table, DUMP_NUMBER, "event", TEXT_DIM);
	table_column(table, DUMP_PLACE, "place", TEXT_PLAIN);
	table_column(table, DUMP_FUNCTION, "function", TEXT_PLAIN);
	table->columns[DUMP_NUMBER].right = table->columns[DUMP_NUMBER].keep = true;
	table->columns[DUMP_PLACE].keep = true;
	if (layout == LAYOUT_LIST) {
		table_column(table, DUMP_THREADS, "thread", TEXT_PLAIN);
		table_column(table, DUMP_THREADS + 1, "what", TEXT_PLAIN);
		table->columns[DUMP_THREADS].keep = true;
	} else {
		thread_headings(table, run, t, column);
	}
	for (uint32_t i = 0; i < t->nevents; i++)
		dump_row(table, m, run, t, i, column[t->events[i].thread], layout);
	free(column);
}

static bool fits(const struct text_style *s, const struct text_table *table, enum layout layout)
{
	unsigned natural = table_natural_width(table), threads = table->ncolumns - DUMP_THREADS;

	if (!s->width || natural <= s->width)
		return true;
	/* Cells may be cut, but not to nothing. */
	return layout == LAYOUT_SHORT && threads * (MIN_THREAD_COLUMN + 2) + 45 <= s->width;
}

void trace_text_dump(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		     const struct trace *t)
{
	enum layout layout = LAYOUT_FULL;
	struct text_table table;

	fprintf(out, "%sclass %llu%s: %u %s, %u %s\n\n", text_begin(s, TEXT_BOLD),
		(unsigned long long)t->number, text_end(s, TEXT_BOLD), t->nevents,
		plural(t->nevents, "event", "events"), t->nops,
		plural(t->nops, "operation", "operations"));
	dump_table(&table, m, run, t, layout);
	while (layout != LAYOUT_LIST && !fits(s, &table, layout)) {
		table_free(&table);
		dump_table(&table, m, run, t, ++layout);
	}
	table_print(out, s, &table, 0);
	table_free(&table);
	fputc('\n', out);
	outcome_text(out, s, m, run, t);
}

/* An operation during which no other is called or returns takes one row. */
static bool undisturbed(const struct trace *t, const struct operation *op)
{
	if (op->ret_event == NONE)
		return true;
	for (uint32_t i = op->call + 1; i < op->ret_event; i++)
		if (t->events[i].kind == LP_EV_CALL || t->events[i].kind == LP_EV_RETURN)
			return false;
	return true;
}

static char *returned_text(const struct operation *op)
{
	char *result = result_text(op->ret_kind, op->ret);
	char *text = *result ? xasprintf("... = %s", result) : xstrdup("... returned");

	free(result);
	return text;
}

static void history_row(struct text_table *table, struct srcmap *m, const struct run *run,
			const struct trace *t, uint32_t i, uint32_t column)
{
	uint32_t op = t->events[i].op;
	bool call = t->events[i].kind == LP_EV_CALL, alone = undisturbed(t, &t->ops[op]);
	char *text, *name;

	if (!call && alone)
		return;
	table_row(table);
	if (alone) {
		text = operation_result_text(m, run, t, op);
	} else if (call) {
		name = operation_text(m, run, t, op);
		text = xasprintf("%s ...", name);
		free(name);
	} else {
		text = returned_text(&t->ops[op]);
	}
	table_set(table, column, text);
}

void trace_text_history(FILE *out, const struct text_style *s, struct srcmap *m,
			const struct run *run, const struct trace *t, unsigned indent)
{
	uint32_t count, *column = thread_columns(t, 0, &count);
	struct text_table table;

	if (!count) {
		free(column);
		return;
	}
	table_init(&table, count);
	thread_headings(&table, run, t, column);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];

		if ((ev->kind == LP_EV_CALL || ev->kind == LP_EV_RETURN) && ev->op != NONE)
			history_row(&table, m, run, t, i, column[ev->thread]);
	}
	table_print(out, s, &table, indent);
	table_free(&table);
	free(column);
}
