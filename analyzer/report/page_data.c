/* SPDX-License-Identifier: MIT */
#include "report/page_data.h"

#include "report/coverage.h"
#include "report/page.h"
#include "report/page_private.h"
#include "run/outcome.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINES 20000 /* of a source file */

json_t *page_text(const char *s)
{
	json_t *value = s ? json_string(s) : json_null();
	char *printable;

	if (!value) {
		printable = text_printable(s);
		value = json_string(printable);
		free(printable);
	}
	return value ? value : json_string("?");
}

static void set(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

json_int_t page_number(struct numbering *n, json_t *list, const char *s, bool *added)
{
	uint32_t number = numbering_add(n, s, strlen(s), added);

	if (*added && list)
		json_array_append_new(list, page_text(s));
	return number;
}

json_int_t page_text_number(struct data *d, const char *s)
{
	bool added;

	return page_number(&d->texts, d->text_list, s, &added);
}

/* The whole file, so that what is around a line can be seen. */
static json_t *source_lines(struct srcmap *map, const char *file)
{
	json_t *lines = json_array();

	for (uint32_t i = 1; i <= MAX_LINES; i++) {
		const char *line = srcmap_line_text(map, file, i);

		if (!line)
			break;
		json_array_append_new(lines, page_text(line));
	}
	return lines;
}

json_int_t page_file_number(struct data *d, struct srcmap *map, const struct source_frame *f)
{
	json_t *o;
	bool added;
	json_int_t number;

	if (!f->file)
		return -1;
	number = page_number(&d->files, NULL, f->file, &added);
	if (added) {
		o = json_object();
		set(o, "name", page_text(f->file));
		set(o, "lines",
		    srcmap_in_program(map, f) ? source_lines(map, f->file) : json_array());
		json_array_append_new(d->file_list, o);
	}
	return number;
}

/* A file of the program; -1: NULL. */
static json_int_t own_file_number(struct data *d, const char *name)
{
	json_int_t number;
	json_t *file;
	bool added;

	if (!name)
		return -1;
	number = page_number(&d->files, NULL, name, &added);
	if (added) {
		file = json_object();
		set(file, "name", page_text(name));
		set(file, "lines", source_lines(d->m->a->map, name));
		json_array_append_new(d->file_list, file);
	}
	return number;
}

/* The source of what it is about belongs to it. */
static json_t *coverage_data(struct data *d)
{
	const struct coverage_result *c = d->m->a->coverage;

	for (uint32_t i = 0; c && i < c->nlines; i++)
		own_file_number(d, c->lines[i].file);
	return c ? coverage_json(d->m->a) : json_null();
}

static json_t *blocks_data(struct data *d, const struct block *blocks, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++) {
		json_t *o = json_object();

		set(o, "file", json_integer(own_file_number(d, blocks[i].file)));
		set(o, "function", page_text(blocks[i].function));
		set(o, "first", json_integer(blocks[i].first));
		set(o, "last", json_integer(blocks[i].last));
		json_array_append_new(list, o);
	}
	return list;
}

/* What came of exploring with it in force; NULL: it was not. */
static json_t *attempt_data(const struct attempt *attempt)
{
	static const char *const results[] = {
		[PROOF_HOLDS] = "proven", [PROOF_BOUNDED] = "bounded", [PROOF_FAILS] = "fails"
	};
	json_t *o;

	if (!attempt || (attempt->result == PROOF_NONE && !attempt->why))
		return json_null();
	o = json_object();
	if (attempt->result == PROOF_NONE) {
		set(o, "why", page_text(attempt->why));
		return o;
	}
	set(o, "result", page_text(results[attempt->result]));
	set(o, "classes", json_integer((json_int_t)attempt->classes));
	set(o, "seconds", json_real(attempt->seconds));
	return o;
}

static json_t *repairs_data(struct data *d)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < d->m->nrepairs && i < RANKING_KEEP; i++) {
		const struct report_repair *r = &d->m->repairs[i];
		json_t *o = json_object();
		char *sentence = report_repair_text(r);

		set(o, "text", page_text(sentence));
		set(o, "disabled", json_integer((json_int_t)r->disabled));
		set(o, "atomic", attempt_data(r->proof && r->proof->asked ? &r->proof->atomic : NULL));
		set(o, "lock", attempt_data(r->proof && r->proof->asked ? &r->proof->lock : NULL));
		set(o, "held",
		    r->proof && r->proof->closure ? blocks_data(d, r->proof->closed.blocks.blocks,
								r->proof->closed.blocks.nblocks)
						  : json_array());
		set(o, "blocks", blocks_data(d, r->blocks, r->nblocks));
		json_array_append_new(list, o);
		free(sentence);
	}
	return list;
}

static json_t *notes_data(const struct model_finding *f)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < f->nnotes; i++) {
		json_t *o = json_object();

		set(o, "file", page_text(f->notes[i].file));
		set(o, "line", json_integer(f->notes[i].line));
		set(o, "text", page_text(f->notes[i].text));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *finding_data(struct data *d, size_t i, struct error *e)
{
	const struct model_finding *f = &d->m->findings[i];
	json_t *o = json_object();
	struct trace t;
	struct srcmap *map;
	struct run *run;
	int result = 0;

	set(o, "kind",
	    page_text(f->finding->is_history ? "history" : outcome_name(f->finding->outcome)));
	set(o, "message", page_text(f->message));
	set(o, "file", json_integer(page_file_number(d, d->m->a->map, &f->place)));
	set(o, "line", json_integer(f->place.line));
	set(o, "function", page_text(f->place.function));
	set(o, "class", json_integer((json_int_t)f->finding->class));
	set(o, "classes", json_integer((json_int_t)f->finding->classes));
	set(o, "again", page_text(f->again));
	set(o, "serial", json_boolean(f->finding->serial && !d->m->a->several));
	set(o, "repairable", json_boolean(f->finding->repairable));
	set(o, "replayed", json_boolean(f->finding->replayed == REPLAY_SAME));
	set(o, "notes", notes_data(f));
	if (i < PAGE_FINDINGS) {
		result = model_load(d->m, f->finding, &t, &run, &map, e);
		if (result == 0)
			page_execution(d, f, run, map, &t, o);
		trace_free(&t);
	}
	if (result < 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *strings_data(char *const *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, page_text(list[i]));
	return array;
}

static json_t *ends_data(const struct analysis *a)
{
	json_t *o = json_object();

	for (unsigned kind = 0; kind < LP_OUT_COUNT; kind++)
		if (a->outcomes[kind])
			set(o, outcome_name(kind), json_integer((json_int_t)a->outcomes[kind]));
	return o;
}

json_t *page_data(struct model *m, const char *diff, struct error *e)
{
	const struct analysis *a = m->a;
	struct data d = { .m = m, .text_list = json_array(), .file_list = json_array() };
	json_t *o = json_object(), *findings = json_array(), *one = NULL;

	set(o, "program", page_text(a->run->program));
	set(o, "arguments", strings_data(a->run->argv, (size_t)a->run->argc));
	set(o, "directory", page_text(a->run->directory));
	set(o, "verdict", page_text(model_verdict(m)));
	set(o, "executions", json_integer((json_int_t)a->run->status.executions));
	set(o, "seconds", json_real(a->run->status.seconds));
	set(o, "classes", json_integer((json_int_t)a->classes));
	set(o, "wrong", json_integer((json_int_t)a->nonlinearizable));
	set(o, "correct", json_integer((json_int_t)a->counted));
	set(o, "all_compared", json_boolean(a->counted == a->right));
	set(o, "histories", json_integer((json_int_t)a->histories));
	set(o, "ends", ends_data(a));
	set(o, "bound", page_text(m->bound));
	set(o, "limits", strings_data(m->limits, m->nlimits));
	set(o, "alone", page_text(a->alone));
	for (size_t i = 0; i < m->n; i++) {
		one = finding_data(&d, i, e);
		if (!one)
			break;
		json_array_append_new(findings, one);
	}
	set(o, "findings", findings);
	set(o, "repairs", repairs_data(&d));
	set(o, "diff", page_text(diff));
	set(o, "coverage", coverage_data(&d));
	set(o, "texts", d.text_list);
	set(o, "files", d.file_list);
	numbering_free(&d.texts);
	numbering_free(&d.files);
	if (m->n && !one) {
		json_decref(o);
		return NULL;
	}
	return o;
}
