/* SPDX-License-Identifier: MIT */
#include "nightly/result.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return xstrdup(s ? s : "");
}

static uint64_t number_of(json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n > 0 ? (uint64_t)n : 0;
}

static struct fault *find_fault(struct record *r, const char *id)
{
	for (uint32_t i = 0; i < r->nfaults; i++)
		if (!strcmp(r->faults[i].fingerprint, id))
			return &r->faults[i];
	return NULL;
}

static void add_fault(struct record *r, json_t *violation, json_t *print)
{
	char *id = text_of(print, "id");
	struct fault *f = find_fault(r, id);
	const char *file = json_string_value(json_object_get(print, "file"));

	if (f || !*id) {
		if (f)
			f->classes += number_of(violation, "classes");
		free(id);
		return;
	}
	VEC_GROW(r->faults, r->nfaults, r->faults_capacity);
	r->faults[r->nfaults++] = (struct fault){
		.fingerprint = id,
		.kind = text_of(violation, "kind"),
		.message = text_of(violation, "message"),
		.statements = text_of(print, "statements"),
		.file = file ? xstrdup(file) : NULL,
		.line = number_of(print, "line"),
		.classes = number_of(violation, "classes"),
		.history = text_of(violation, "history"),
		.schedule = text_of(violation, "schedule"),
	};
}

static void add_faults(struct record *r, json_t *violations)
{
	json_t *violation, *print;
	size_t i, k;

	json_array_foreach(violations, i, violation)
	{
		if (json_is_false(json_object_get(violation, "replayed")))
			continue;
		json_array_foreach(json_object_get(violation, "fingerprints"), k, print)
			add_fault(r, violation, print);
	}
}

/* "list.c:41-43 (pop) and list.c:50 (push)". */
static char *blocks_text(json_t *blocks)
{
	char *all = NULL;
	size_t size, i;
	json_t *block;
	FILE *to = open_memstream(&all, &size);

	if (!to)
		return xstrdup("");
	json_array_foreach(blocks, i, block)
	{
		const char *file = json_string_value(json_object_get(block, "file"));
		const char *function = json_string_value(json_object_get(block, "function"));
		uint64_t first = number_of(block, "first"), last = number_of(block, "last");

		fprintf(to, "%s%s:%llu", i ? " and " : "", file ? file : "?",
			(unsigned long long)first);
		if (last > first)
			fprintf(to, "-%llu", (unsigned long long)last);
		fprintf(to, " (%s)", function ? function : "?");
	}
	fclose(to);
	return all;
}

static void add_mends(struct record *r, json_t *repairs)
{
	json_t *repair;
	size_t i;

	json_array_foreach(repairs, i, repair)
	{
		json_t *verified = json_object_get(repair, "verified");

		VEC_GROW(r->mends, r->nmends, r->mends_capacity);
		r->mends[r->nmends++] = (struct mend){
			.text = blocks_text(json_object_get(repair, "blocks")),
			.disabled = number_of(repair, "disabled"),
			.proven = json_is_true(json_object_get(verified, "atomic")) ||
				  json_is_true(json_object_get(verified, "lock")),
		};
	}
}

static void add_limit(struct record *r, const char *text)
{
	VEC_GROW(r->limits, r->nlimits, r->limits_capacity);
	r->limits[r->nlimits++] = xstrdup(text);
}

static void add_limits(struct record *r, json_t *limits)
{
	static const char *const why[][2] = {
		{ "time", "the search was not finished: the time was up" },
		{ "executions", "the search was not finished: the bound on executions was reached" },
		{ "full", "the search was not finished: there was no room for the trace" },
	};
	json_t *limit;
	size_t i;

	for (i = 0; i < sizeof why / sizeof *why; i++)
		if (!strcmp(r->end, why[i][0]))
			add_limit(r, why[i][1]);
	json_array_foreach(limits, i, limit)
		if (json_string_value(limit))
			add_limit(r, json_string_value(limit));
}

/* The last message of linchpin in a file; else its last line. Free it. */
static char *last_message(const char *log)
{
	FILE *f = fopen(log, "r");
	char *line = NULL, *last = NULL;
	bool ours = false;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		bool is_ours = !strncmp(line, "linchpin: ", 10) && strncmp(line, "linchpin: warning:", 18) != 0;

		line[strcspn(line, "\n")] = '\0';
		if (!*line || (ours && !is_ours))
			continue;
		free(last);
		last = xstrdup(is_ours ? line + 10 : line);
		ours = is_ours;
	}
	free(line);
	if (f)
		fclose(f);
	return last;
}

void result_read(const char *json, const char *log, int status, struct record *r)
{
	json_t *o = json_load_file(json, 0, NULL);

	r->end = text_of(o, "end");
	r->classes = number_of(o, "classes");
	r->executions = number_of(o, "executions");
	r->histories = number_of(o, "histories");
	r->complete = json_is_true(json_object_get(o, "complete")) && !number_of(o, "unknown");
	add_faults(r, json_object_get(o, "violations"));
	add_mends(r, json_object_get(o, "repairs"));
	if (o)
		add_limits(r, json_object_get(o, "limits"));
	if (!o || (status != EXIT_CLEAN && status != EXIT_VIOLATION && status != EXIT_UNFINISHED)) {
		r->status = STATUS_FAILED;
		r->message = last_message(log);
		if (!r->message && status >= 128)
			r->message = xasprintf("linchpin was ended by signal %d", status - 128);
		if (!r->message)
			r->message = xasprintf("linchpin ended with the status %d", status);
	} else if (r->nfaults) {
		r->status = STATUS_VIOLATION;
	} else {
		r->status = r->complete ? STATUS_CLEAN : STATUS_UNFINISHED;
	}
	if (!r->message)
		r->message = xstrdup("");
	json_decref(o);
}

void result_mark_known(const struct suite_test *t, struct record *r)
{
	for (uint32_t i = 0; i < r->nfaults; i++) {
		r->faults[i].known = false;
		for (uint32_t k = 0; k < t->known.n; k++)
			r->faults[i].known |= !strncmp(r->faults[i].fingerprint, t->known.list[k],
						       strlen(t->known.list[k]));
	}
}
