/* SPDX-License-Identifier: MIT */
#include "nightly/board.h"

#include "base/embed.h"
#include "report/page.h"
#include "report/sarif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NIGHTS 90 /* that are shown */

EMBED(board_css, "analyzer/nightly/board.css");
EMBED(board_js, "analyzer/nightly/board.js");

static void set(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *nights(const struct night *list, uint32_t n)
{
	json_t *all = json_array();

	for (uint32_t i = n; i-- > 0;) {
		json_t *o = json_object();

		set(o, "id", json_integer(list[i].id));
		set(o, "started", json_real(list[i].started));
		set(o, "ended", json_real(list[i].ended));
		set(o, "revision", sarif_text(list[i].revision));
		set(o, "shard", sarif_text(list[i].shard));
		set(o, "tests", number(list[i].tests));
		set(o, "violations", number(list[i].violations));
		set(o, "fresh", number(list[i].fresh));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *point(const struct record *r)
{
	json_t *o = json_object(), *faults = json_array();
	bool known = r->nfaults > 0;

	for (uint32_t i = 0; i < r->nfaults; i++) {
		json_array_append_new(faults, sarif_text(r->faults[i].fingerprint));
		known &= r->faults[i].known;
	}
	set(o, "known", json_boolean(known));
	set(o, "night", json_integer(r->night));
	set(o, "status", sarif_text(status_name(r->status)));
	set(o, "complete", json_boolean(r->complete));
	set(o, "classes", number(r->classes));
	set(o, "executions", number(r->executions));
	set(o, "processor", json_real(r->processor));
	set(o, "build", sarif_text(r->build_id));
	set(o, "message", sarif_text(r->message));
	set(o, "findings", faults);
	return o;
}

static json_t *find(json_t *findings, const char *fingerprint)
{
	json_t *o = json_object_get(findings, fingerprint);

	if (o)
		return o;
	o = json_object();
	set(o, "tests", json_object());
	set(findings, fingerprint, o);
	return json_object_get(findings, fingerprint);
}

/* Records are newest first, so what is told of a finding is what the last night said. */
static void add_faults(json_t *findings, const struct record *r)
{
	for (uint32_t i = 0; i < r->nfaults; i++) {
		const struct fault *f = &r->faults[i];
		json_t *o = find(findings, f->fingerprint), *tests = json_object_get(o, "tests");
		json_int_t last = json_integer_value(json_object_get(o, "last"));
		json_t *first = json_object_get(o, "first");

		if (!first || json_integer_value(first) > r->night)
			set(o, "first", json_integer(r->night));
		set(tests, r->test, json_true());
		if (last >= r->night)
			continue;
		set(o, "last", json_integer(r->night));
		set(o, "kind", sarif_text(f->kind));
		set(o, "message", sarif_text(f->message));
		set(o, "statements", sarif_text(f->statements));
		set(o, "file", sarif_text(f->file));
		set(o, "line", number(f->line));
		set(o, "known", json_boolean(f->known));
		set(o, "history", sarif_text(f->history));
		set(o, "repair", sarif_text(r->nmends ? r->mends[0].text : ""));
		set(o, "proven", json_boolean(r->nmends && r->mends[0].proven));
	}
}

static json_t *test(const char *name, const struct record *list, uint32_t n, json_t *findings)
{
	json_t *o = json_object(), *points = json_array(), *limits = json_array();

	for (uint32_t i = 0; i < n; i++)
		add_faults(findings, &list[i]);
	for (uint32_t i = n; i-- > 0;)
		json_array_append_new(points, point(&list[i]));
	for (uint32_t i = 0; n && i < list[0].nlimits; i++)
		json_array_append_new(limits, sarif_text(list[0].limits[i]));
	set(o, "name", sarif_text(name));
	set(o, "command", sarif_text(n ? list[0].command : ""));
	set(o, "limits", limits);
	set(o, "points", points);
	return o;
}

static void add_said(json_t *all, const struct said *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		json_t *o = json_object();

		set(o, "night", json_integer(list[i].night));
		set(o, "test", sarif_text(list[i].test));
		set(o, "word", sarif_text(list[i].word));
		set(o, "text", sarif_text(list[i].text));
		set(o, "finding", sarif_text(list[i].fingerprint));
		set(o, "fresh", json_boolean(list[i].fresh));
		json_array_append_new(all, o);
	}
}

static int add_tests(struct store *s, const char *suite, json_t *tests, json_t *findings, struct error *e)
{
	char **names;
	uint32_t n;
	int result = store_tests(s, suite, &names, &n, e);

	for (uint32_t i = 0; i < n; i++) {
		struct record *list = NULL;
		uint32_t nlist = 0;

		if (result == 0)
			result = store_records(s, suite, names[i], 0, NIGHTS, &list, &nlist, e);
		if (result == 0)
			json_array_append_new(tests, test(names[i], list, nlist, findings));
		records_free(list, nlist);
		free(names[i]);
	}
	free(names);
	return result;
}

/* Is list[i] a part of the last night? Where shards share a database that is the last one of each shard, at the
 * revision of the last. */
static bool is_last(const struct night *list, uint32_t i)
{
	if (i && (!*list[0].shard || !*list[i].shard || strcmp(list[0].revision, list[i].revision) != 0))
		return false;
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(list[k].shard, list[i].shard))
			return false;
	return true;
}

/* What was said of the last night; `last` gets the numbers of its parts. */
static int last_words(struct store *s, const struct night *list, uint32_t n, json_t *last, json_t *words,
		      struct error *e)
{
	int result = 0;

	for (uint32_t i = n; i-- > 0 && result == 0;) {
		struct said *part;
		uint32_t npart;

		if (!is_last(list, i))
			continue;
		json_array_append_new(last, json_integer(list[i].id));
		result = store_said(s, list[i].id, &part, &npart, e);
		add_said(words, part, npart);
		said_free(part, npart);
	}
	return result;
}

json_t *board_data(struct store *s, const char *suite, struct error *e)
{
	json_t *o = json_object(), *tests = json_array(), *findings = json_object();
	json_t *last = json_array(), *words = json_array();
	struct night *list;
	uint32_t n;
	int result = store_nights(s, suite, NIGHTS, &list, &n, e);

	set(o, "suite", sarif_text(suite));
	set(o, "nights", nights(list, n));
	if (result == 0)
		result = add_tests(s, suite, tests, findings, e);
	if (result == 0)
		result = last_words(s, list, n, last, words, e);
	set(o, "tests", tests);
	set(o, "findings", findings);
	set(o, "last", last);
	set(o, "said", words);
	for (uint32_t i = 0; i < n; i++)
		night_free(&list[i]);
	free(list);
	if (result == 0)
		return o;
	json_decref(o);
	return NULL;
}

int board_write(struct store *s, const char *suite, const char *file, struct error *e)
{
	json_t *o = board_data(s, suite, e);
	char *data = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
	FILE *to = data ? fopen(file, "w") : NULL;
	int result = to ? 0 : -1;

	if (data && !to)
		error_set(e, "%s: %s", file, strerror(errno));
	if (to) {
		page_frame(to, suite, board_css, board_js, data);
		result = ferror(to) ? -1 : 0;
		if ((fclose(to) != 0 || result < 0))
			result = error_set(e, "%s: %s", file, strerror(errno));
	}
	free(data);
	json_decref(o);
	return result;
}
