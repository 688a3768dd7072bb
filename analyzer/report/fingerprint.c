/* SPDX-License-Identifier: MIT */
#include "report/fingerprint.h"

#include "run/outcome.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATEMENTS 32

/* ---- statements ---- */

/* The text of a line without blanks and comments: neither changes what it does. Free it. */
static char *bare(const char *line)
{
	char *text = xstrdup(line), *to = text, quote = '\0';

	for (const char *p = line; *p; p++) {
		if (quote) {
			if (*p == '\\' && p[1])
				*to++ = *p++;
			else if (*p == quote)
				quote = '\0';
			*to++ = *p;
		} else if (p[0] == '/' && p[1] == '/') {
			break;
		} else if (p[0] == '/' && p[1] == '*') {
			p = strstr(p + 2, "*/");
			if (!p)
				break;
			p++;
		} else if (!isspace((unsigned char)*p)) {
			if (*p == '"' || *p == '\'')
				quote = *p;
			*to++ = *p;
		}
	}
	*to = '\0';
	return text;
}

/* How many lines from `first` to `line` have this text: several in a function may. */
static unsigned ordinal(struct srcmap *map, const char *file, uint32_t first, uint32_t line,
			const char *text)
{
	unsigned n = 0;

	for (uint32_t i = first; i <= line; i++) {
		const char *raw = srcmap_line_text(map, file, i);
		char *other = raw ? bare(raw) : NULL;

		n += other && !strcmp(other, text);
		free(other);
	}
	return n;
}

/* Without the source it is the distance from the beginning of the function. Free it. */
static char *statement(struct srcmap *map, const char *file, const char *function, uint32_t line)
{
	uint32_t begin = line ? srcmap_function_line(map, file, function, line) : 0;
	const char *raw = file && line ? srcmap_line_text(map, file, line) : NULL;
	char *text = raw ? bare(raw) : NULL, *all;
	unsigned times = text && begin ? ordinal(map, file, begin, line, text) : 1;

	if (text && *text && times > 1)
		all = xasprintf("%s:%s: %s (%u)", base_name(file), function ? function : "?", text,
				times);
	else if (text && *text)
		all = xasprintf("%s:%s: %s", base_name(file), function ? function : "?", text);
	else if (line && begin)
		all = xasprintf("%s:%s: +%u", base_name(file), function, line - begin);
	else if (line)
		all = xasprintf("%s:%s: line %u", file ? base_name(file) : "?",
				function ? function : "?", line);
	else
		all = xasprintf("%s:%s", file ? base_name(file) : "?", function ? function : "?");
	free(text);
	return all;
}

static char *block_statements(struct srcmap *map, const struct block *b)
{
	char *first = statement(map, b->file, b->function, b->first), *last, *all;

	if (b->last == b->first)
		return first;
	last = statement(map, b->file, b->function, b->last);
	all = xasprintf("%s .. %s", first, strstr(last, ": ") ? strstr(last, ": ") + 2 : last);
	free(first);
	free(last);
	return all;
}

/* ---- of an execution that ends badly ---- */

struct statements {
	char *list[MAX_STATEMENTS];
	uint32_t n;
};

/* A set in the order of the alphabet: which thread is which may change from client to client. */
static void add(struct statements *s, char *text)
{
	uint32_t i = 0;
	int order = 1;

	while (i < s->n && (order = strcmp(s->list[i], text)) < 0)
		i++;
	if ((i < s->n && order == 0) || s->n == MAX_STATEMENTS) {
		free(text);
		return;
	}
	memmove(&s->list[i + 1], &s->list[i], (s->n - i) * sizeof *s->list);
	s->list[i] = text;
	s->n++;
}

/* Does what is written beside the end belong to the fault? Where memory was allocated, who waits for
 * the end of a thread, and which locks a race was under do not. */
static bool belongs(const struct outcome *o, const struct waiter *w)
{
	if (w->site == NONE || w->why == LP_WAIT_JOIN || w->why == LP_WAIT_ALLOCATED)
		return false;
	if (o->kind == LP_OUT_DATA_RACE)
		return w->why == LP_WAIT_NOTHING && w->location != NONE;
	return w->why != LP_WAIT_NOTHING;
}

static void add_waiters(struct statements *s, struct srcmap *map, const struct trace *t)
{
	for (uint32_t i = 0; i < t->outcome.nwaiters; i++) {
		const struct waiter *w = &t->outcome.waiters[i];
		const struct source_frame *f =
			belongs(&t->outcome, w) ? srcmap_own_frame(map, w->site) : NULL;

		if (f)
			add(s, statement(map, f->file, f->function, f->line));
	}
}

static char *joined(struct statements *s)
{
	char *all = xstrdup("");

	for (uint32_t i = 0; i < s->n; i++) {
		char *longer = xasprintf("%s%s%s", all, i ? " | " : "", s->list[i]);

		free(all);
		free(s->list[i]);
		all = longer;
	}
	return all;
}

/* ---- */

static void append(struct fingerprints *to, const char *kind, char *statements, const char *file,
		   uint32_t line)
{
	struct fingerprint *p;
	uint64_t h = 0x9e3779b97f4a7c15ULL;

	for (const char *k = kind; *k; k++)
		h = hash_mix(h, (unsigned char)*k);
	for (const char *s = statements; *s; s++)
		h = hash_mix(h, (unsigned char)*s);
	to->list = xreallocarray(to->list, to->n + 1, sizeof *to->list);
	p = &to->list[to->n++];
	snprintf(p->id, sizeof p->id, "%016llx", (unsigned long long)h);
	p->statements = statements;
	p->file = file;
	p->line = line;
}

int fingerprints_find(struct model *m, const struct model_finding *f, struct fingerprints *to,
		      struct error *e)
{
	const struct finding *finding = f->finding;
	const char *kind = finding->is_history ? "history" : outcome_name(finding->outcome);
	struct statements s = { .n = 0 };
	struct trace t;
	struct srcmap *map;
	struct run *run;
	int result;

	*to = (struct fingerprints){ 0 };
	if (finding->is_history && finding->repairable && m->nrepairs) {
		for (uint32_t i = 0; i < m->repairs[0].nblocks; i++) {
			const struct block *b = &m->repairs[0].blocks[i];

			append(to, kind, block_statements(m->a->map, b), b->file, b->first);
		}
		return 0;
	}
	result = model_load(m, finding, &t, &run, &map, e);
	if (result == 0) {
		/* Where nothing is known of the place, the sentence tells at least some faults apart. */
		add(&s, f->place.file || f->place.function
				? statement(map, f->place.file, f->place.function, f->place.line)
				: xstrdup(f->message));
		if (!finding->is_history)
			add_waiters(&s, map, &t);
		append(to, kind, joined(&s), f->place.file, f->place.line);
	}
	trace_free(&t);
	return result;
}

void fingerprints_free(struct fingerprints *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		free(p->list[i].statements);
	free(p->list);
	*p = (struct fingerprints){ 0 };
}
