/* SPDX-License-Identifier: MIT
 *
 * SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/. A finding is a result; its execution a
 * code flow with a thread flow for each thread, whose steps are numbered over all threads
 * (executionOrder); what else is known of it are related locations; the patch is a fix.
 */
#include "report/sarif.h"

#include "report/event.h"
#include "report/fingerprint.h"
#include "report/trace.h"
#include "run/outcome.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FLOWS 30  /* findings with their execution */
#define MAX_STEPS 400 /* of a thread; the last ones */

json_t *sarif_text(const char *s)
{
	json_t *value = json_string(s ? s : "");
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

static json_t *message(const char *s)
{
	json_t *o = json_object();

	set(o, "text", sarif_text(s));
	return o;
}

/* A path as a reference: relative to the working directory of the run, or a file: URI. */
static json_t *artifact(const char *file)
{
	json_t *o = json_object();
	char *uri = xmalloc(3 * strlen(file) + sizeof "file://"), *to = uri;

	if (*file == '/')
		to = stpcpy(to, "file://");
	for (const unsigned char *p = (const unsigned char *)file; *p; p++) {
		if ((*p | 32) >= 'a' && (*p | 32) <= 'z')
			*to++ = (char)*p;
		else if ((*p >= '0' && *p <= '9') || strchr("/._-~", *p))
			*to++ = (char)*p;
		else
			to += sprintf(to, "%%%02X", *p);
	}
	*to = '\0';
	set(o, "uri", sarif_text(uri));
	if (*file != '/')
		set(o, "uriBaseId", sarif_text("SRCROOT"));
	free(uri);
	return o;
}

static json_t *region(uint32_t first, uint32_t column, uint32_t last)
{
	json_t *o = json_object();

	set(o, "startLine", json_integer(first));
	if (column)
		set(o, "startColumn", json_integer(column));
	if (last > first)
		set(o, "endLine", json_integer(last));
	return o;
}

json_t *sarif_location(const char *file, uint32_t line, uint32_t column, uint32_t last,
			const char *function, const char *words)
{
	json_t *o = json_object(), *physical, *logical;

	if (file) {
		physical = json_object();
		set(physical, "artifactLocation", artifact(file));
		if (line)
			set(physical, "region", region(line, column, last));
		set(o, "physicalLocation", physical);
	}
	if (function) {
		logical = json_object();
		set(logical, "fullyQualifiedName", sarif_text(function));
		set(logical, "kind", sarif_text("function"));
		set(o, "logicalLocations", json_pack("[o]", logical));
	}
	if (words)
		set(o, "message", message(words));
	return o;
}

static json_t *step(struct srcmap *map, const struct run *run, const struct trace *t, uint32_t i,
		    uint32_t order)
{
	const struct event *ev = &t->events[i];
	const struct source_frame *f = srcmap_own_frame(map, ev->site);
	bool call = ev->kind == LP_EV_CALL || ev->kind == LP_EV_RETURN;
	char *words = event_short_text(map, run, t, i);
	json_t *o = json_object();

	set(o, "location",
	    sarif_location(f ? f->file : NULL, f ? f->line : 0, f ? f->column : 0, 0,
		     f ? f->function : NULL, words));
	set(o, "executionOrder", json_integer(order));
	set(o, "importance", sarif_text(call ? "essential" : "important"));
	set(o, "nestingLevel", json_integer(ev->op != NONE && !call));
	free(words);
	return o;
}

/* The steps that others see, by thread. */
static json_t *code_flow(struct srcmap *map, const struct run *run, const struct trace *t)
{
	bool *seen = trace_seen(t);
	json_t *flow = json_object(), *threads = json_array();

	for (uint32_t thread = 0; thread < t->nthreads; thread++) {
		json_t *o, *steps = json_array();
		uint32_t order = 0;
		char *name;

		for (uint32_t i = 0; i < t->nevents; i++) {
			if (!seen[i])
				continue;
			order++;
			if (t->events[i].thread != thread)
				continue;
			json_array_append_new(steps, step(map, run, t, i, order));
			if (json_array_size(steps) > MAX_STEPS)
				json_array_remove(steps, 0);
		}
		if (!json_array_size(steps)) {
			json_decref(steps);
			continue;
		}
		o = json_object();
		name = xasprintf("T%s", run->threads[thread].name);
		set(o, "id", sarif_text(name));
		set(o, "locations", steps);
		json_array_append_new(threads, o);
		free(name);
	}
	free(seen);
	set(flow, "threadFlows", threads);
	return flow;
}

/* Line 40 of the old text became the line 42 of the new one: whole lines are replaced. */
static json_t *replacement(const struct patch_file *f)
{
	const char *a = f->before, *b = f->after, *enda = a + strlen(a), *endb = b + strlen(b);
	const char *first = a;
	uint32_t line = 1, last;
	json_t *o = json_object(), *deleted = json_object(), *inserted = json_object();

	/* What is the same at the beginning and at the end, in whole lines. */
	while (*a && *a == *b) {
		if (*a == '\n') {
			first = a + 1;
			line++;
		}
		a++;
		b++;
	}
	b -= a - first;
	a = first;
	while (enda > a && endb > b && enda[-1] == endb[-1])
		enda--, endb--;
	while (*enda && (enda == a || enda[-1] != '\n'))
		enda++, endb++;
	last = line;
	for (const char *p = a; p < enda; p++)
		last += *p == '\n';
	set(deleted, "startLine", json_integer(line));
	set(deleted, "startColumn", json_integer(1));
	set(deleted, "endLine", json_integer(last));
	set(deleted, "endColumn", json_integer(1));
	set(o, "deletedRegion", deleted);
	json_object_set_new(inserted, "text", json_stringn(b, (size_t)(endb - b)));
	set(o, "insertedContent", inserted);
	return o;
}

static json_t *fixes(const struct patch *p)
{
	char *summary = xstrndup(p->summary, strlen(p->summary) - 1); /* without the last newline */
	json_t *changes = json_array(), *fix = json_object();

	for (size_t i = 0; i < p->n; i++) {
		json_t *change = json_object();

		set(change, "artifactLocation", artifact(p->files[i].name));
		set(change, "replacements", json_pack("[o]", replacement(&p->files[i])));
		json_array_append_new(changes, change);
	}
	set(fix, "description", message(summary));
	set(fix, "artifactChanges", changes);
	free(summary);
	return json_pack("[o]", fix);
}

static json_t *related(const struct model *m, const struct model_finding *f)
{
	json_t *list = json_array();
	json_int_t id = 0;

	for (uint32_t i = 0; i < f->nnotes; i++) {
		json_t *o;

		if (!f->notes[i].file)
			continue;
		o = sarif_location(f->notes[i].file, f->notes[i].line, 0, 0, NULL, f->notes[i].text);
		set(o, "id", json_integer(++id));
		json_array_append_new(list, o);
	}
	for (uint32_t i = 0; f->finding->repairable && m->nrepairs && i < m->repairs[0].nblocks;
	     i++) {
		const struct block *b = &m->repairs[0].blocks[i];
		json_t *o =
			sarif_location(b->file, b->first, 0, b->last, b->function,
				 m->repairs[0].nblocks > 1 ? "must be atomic, like the other blocks"
							   : "must be atomic");

		set(o, "id", json_integer(++id));
		json_array_append_new(list, o);
	}
	return list;
}

static const char *rule_of(const struct model_finding *f)
{
	return f->finding->is_history ? "not-linearizable" : outcome_name(f->finding->outcome);
}

static json_t *result(struct model *m, size_t i, const struct patch *patch, struct error *e)
{
	const struct model_finding *f = &m->findings[i];
	json_t *o = json_object(), *prints = json_object(), *properties = json_object();
	struct fingerprints prints_of;
	struct trace t = { 0 };
	struct srcmap *map;
	struct run *run;
	json_t *flow;
	int failed = 0;

	if (fingerprints_find(m, f, &prints_of, e) < 0)
		failed = -1;
	set(o, "ruleId", sarif_text(rule_of(f)));
	set(o, "level", sarif_text("error"));
	set(o, "message", message(f->message));
	if (f->place.file)
		set(o, "locations",
		    json_pack("[o]", sarif_location(f->place.file, f->place.line, f->place.column, 0,
					      f->place.function, NULL)));
	for (uint32_t k = 0; k < prints_of.n; k++) {
		char *key = xasprintf("linchpin%.0u/v1", k);

		set(prints, key, sarif_text(prints_of.list[k].id));
		free(key);
	}
	set(o, "partialFingerprints", prints);
	set(o, "relatedLocations", related(m, f));
	set(o, "occurrenceCount", json_integer((json_int_t)f->finding->classes));
	if (failed == 0 && i < MAX_FLOWS) {
		failed = model_load(m, f->finding, &t, &run, &map, e);
		flow = failed == 0 ? code_flow(map, run, &t) : NULL;
		if (flow && json_array_size(json_object_get(flow, "threadFlows")))
			set(o, "codeFlows", json_pack("[O]", flow));
		json_decref(flow);
		trace_free(&t);
	}
	if (f->finding->repairable && patch->n)
		set(o, "fixes", fixes(patch));
	set(properties, "history", sarif_text(f->finding->history));
	set(properties, "schedule", sarif_text(f->finding->schedule));
	set(properties, "replay", sarif_text(f->again));
	if (f->specification)
		set(properties, "specification", sarif_text(f->specification));
	set(o, "properties", properties);
	fingerprints_free(&prints_of);
	if (failed < 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}

void sarif_rule(json_t *rules, const char *id)
{
	json_t *o, *known;
	size_t k;

	json_array_foreach(rules, k, known)
		if (!strcmp(json_string_value(json_object_get(known, "id")), id))
			return;
	o = json_object();
	set(o, "id", sarif_text(id));
	set(o, "shortDescription",
	    message(!strcmp(id, "not-linearizable")
			    ? "The results of concurrent operations fit into no sequential order."
			    : "An execution ends with an error under some schedule."));
	json_array_append_new(rules, o);
}

static json_t *tool(json_t *rules)
{
	json_t *o = json_object(), *driver = json_object();

	set(driver, "name", sarif_text("linchpin"));
	set(driver, "semanticVersion", sarif_text(LINCHPIN_VERSION));
	set(driver, "rules", rules);
	set(o, "driver", driver);
	return o;
}

/* How far the search went, and what limits its statement. */
static json_t *invocation(const struct model *m)
{
	json_t *o = json_object(), *notes = json_array(), *arguments = json_array();

	for (int i = 0; i < m->a->run->argc; i++)
		json_array_append_new(arguments, sarif_text(m->a->run->argv[i]));
	for (size_t i = 0; i < m->nlimits; i++) {
		json_t *note = json_object();

		set(note, "level", sarif_text("note"));
		set(note, "message", message(m->limits[i]));
		json_array_append_new(notes, note);
	}
	set(o, "arguments", arguments);
	set(o, "executionSuccessful", json_true());
	set(o, "toolExecutionNotifications", notes);
	return o;
}

static json_t *directory_uri(const char *directory)
{
	json_t *o = artifact(directory);
	char *uri = xasprintf("%s/", json_string_value(json_object_get(o, "uri")));

	set(o, "uri", sarif_text(uri));
	free(uri);
	return o;
}

json_t *sarif_log(json_t *rules, json_t *invocation, const char *directory, json_t *results,
		  json_t *properties)
{
	json_t *all = json_object(), *run = json_object(), *bases = json_object();

	set(run, "tool", tool(rules));
	set(run, "invocations", json_pack("[o]", invocation));
	set(bases, "SRCROOT", directory_uri(directory));
	set(run, "originalUriBaseIds", bases);
	set(run, "columnKind", sarif_text("utf16CodeUnits"));
	set(run, "results", results);
	if (properties)
		set(run, "properties", properties);
	set(all, "$schema", sarif_text("https://json.schemastore.org/sarif-2.1.0.json"));
	set(all, "version", sarif_text("2.1.0"));
	set(all, "runs", json_pack("[o]", run));
	return all;
}

int sarif_write(struct model *m, const struct patch *patch, const char *file, struct error *e)
{
	json_t *results = json_array(), *rules = json_array(), *properties = json_object(), *all;
	int status = 0;

	for (size_t i = 0; i < m->n && status == 0; i++) {
		json_t *one = result(m, i, patch, e);

		sarif_rule(rules, rule_of(&m->findings[i]));
		if (one)
			json_array_append_new(results, one);
		else
			status = -1;
	}
	set(properties, "bound", sarif_text(m->bound));
	set(properties, "verdict", sarif_text(model_verdict(m)));
	all = sarif_log(rules, invocation(m), m->a->run->cwd, results, properties);
	if (status == 0 && json_dump_file(all, file, JSON_INDENT(1)) < 0)
		status = error_set(e, "%s: %s", file, strerror(errno));
	json_decref(all);
	return status;
}
