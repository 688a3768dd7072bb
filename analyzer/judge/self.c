/* SPDX-License-Identifier: MIT
 *
 * Threads and objects have other numbers in every run, so they are compared by name: threads by
 * their creation, objects by where they are.
 *
 * Objects are independent of each other: the orders of an object are those of its own operations.
 */
#include "base/budget.h"
#include "format/search.h"
#include "judge/execute.h"
#include "judge/self_private.h"
#include "lin/lin.h"
#include "run/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_EXECUTIONS  500000 /* the graph of orders is kept in memory */
#define BRIEF_EXECUTIONS 2000
#define BRIEF_SECONDS    3
#define SHARE            0.3 /* of the time that is left; more is needed to compare with them */

bool self_named(const char *specification)
{
	return specification && adt_find(specification) &&
	       adt_find(specification) == adt_find("self");
}

bool self_wanted(const struct run *run, const char *specification)
{
	for (uint32_t i = 0; i < run->nobjects; i++) {
		uint32_t s = run->objects[i].specification;

		if (s < run->nstrings &&
		    (self_named(run->strings[s]) || spec_guessed(run->strings[s])))
			return true;
	}
	return self_named(specification);
}

/* ---- names ---- */

static const char *thread_name(const struct run *run, uint32_t thread)
{
	return thread < run->nthreads ? run->threads[thread].name : "?";
}

/* The location in words that are the same in every run; to free. */
static char *object_name(const struct run *run, uint32_t location)
{
	const struct location *l = location < run->nlocations ? &run->locations[location] : NULL;

	if (!l)
		return xstrdup("?");
	switch (l->type) {
	case LP_LOC_GLOBAL:
		return xasprintf("global %s %" PRIx64,
				 l->a < run->nmodules ? run->modules[l->a].path : "?", l->offset);
	case LP_LOC_HEAP:
		return xasprintf("heap %s %" PRIu32 " %" PRIx64, thread_name(run, l->a), l->b,
				 l->offset);
	case LP_LOC_STACK:
		return xasprintf("stack %s %" PRIx64, thread_name(run, l->a), l->offset);
	default:
		return xasprintf("address %" PRIx64, l->offset);
	}
}

uint32_t self_object(struct self *s, const struct run *run, uint32_t location)
{
	char *name = object_name(run, location);
	bool added;
	uint32_t n = numbering_add(&s->objects, name, strlen(name), &added);

	free(name);
	return n;
}

uint32_t self_symbol(struct self *s, const struct run *run, const struct operation *op)
{
	const char *name = op->name < run->nstrings ? run->strings[op->name] : "?";
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	uint32_t number;
	bool added;

	if (!f)
		return 0;
	fprintf(f, "%s %s", thread_name(run, op->thread), name);
	for (uint32_t i = 0; i < op->nargs && i < HISTORY_MAX_ARGS; i++)
		fprintf(f, " %" PRId64, op->args[i]);
	fclose(f);
	number = numbering_add(&s->symbols, text, size, &added);
	free(text);
	return number;
}

struct self_method *self_method(struct self *s, const struct run *run, const struct operation *op)
{
	char *name = xasprintf("%" PRIu32 " %s", self_object(s, run, op->object),
			       op->name < run->nstrings ? run->strings[op->name] : "?");
	bool added;
	uint32_t n = numbering_add(&s->methods, name, strlen(name), &added);

	free(name);
	if (added) {
		VEC_GROW(s->by_method, n, s->methods_capacity);
		s->by_method[n] = (struct self_method){ .name = op->name };
	}
	return &s->by_method[n];
}

bool self_returns(struct self *s, const struct run *run, const struct operation *op)
{
	const struct self_method *m = self_method(s, run, op);

	return m->returned || !m->waited;
}

uint32_t self_result(struct self *s, const struct run *run, const struct operation *op)
{
	struct value v = operation_value(op);
	int64_t key[] = { self_method(s, run, op) - s->by_method, v.tag, v.v };
	bool added;

	return numbering_add(&s->results, key, sizeof key, &added);
}

bool self_shows_result(struct self *s, const struct run *run, const struct operation *op)
{
	return self_result(s, run, op) < s->nshown;
}

const char *self_waiting(const struct self *s, uint32_t i)
{
	for (uint32_t k = 0; k < s->methods.n; k++) {
		const struct self_method *m = &s->by_method[k];

		if (!m->returned && m->waited && !i--)
			return m->name < s->run->nstrings ? s->run->strings[m->name] : "?";
	}
	return NULL;
}

/* ---- sequential executions ---- */

struct bounds {
	bool brief;
};

static void make_sequential(struct launch *l, struct settings *s, void *data)
{
	const struct bounds *b = data;

	s->progress = "none";
	s->search = lp_search_name(LP_SEARCH_SEQUENTIAL);
	s->max_executions = b->brief ? BRIEF_EXECUTIONS : MOST_EXECUTIONS;
	if (b->brief && (s->max_time <= 0 || s->max_time > BRIEF_SECONDS))
		s->max_time = BRIEF_SECONDS;
	if (s->max_time > SHARE * budget_left())
		s->max_time = SHARE * budget_left();
	l->blocks = NULL; /* operations are atomic anyway */
	l->progress = isatty(STDERR_FILENO);
	l->what = "one operation at a time";
}

/* Is this as much as is asked for? Executions that were interrupted, or that were only a brief run,
 * are made again. */
static bool enough(const struct run *run, bool brief)
{
	struct settings settings;
	char *text = NULL;
	bool whole;

	if (run->status.end == LP_END_COMPLETE)
		return true;
	if (run->status.end == LP_END_RUNNING || run->status.end == LP_END_INTERRUPTED)
		return false;
	whole = settings_read(run->directory, &settings, &text, NULL) == 0 &&
		settings.max_executions == MOST_EXECUTIONS;
	free(text);
	return whole || brief;
}

static struct run *execute(const struct run *original, const char *directory, bool brief,
			   struct error *e)
{
	struct bounds bounds = { brief };
	char *absolute;
	int result;

	if (mkdir(directory, 0777) < 0 && errno != EEXIST) {
		error_set(e, "%s: %s", directory, strerror(errno));
		return NULL;
	}
	run_files_remove(directory);
	absolute = realpath(directory, NULL);
	if (absolute)
		result = execute_again(original, absolute, "in its sequential executions",
				       make_sequential, &bounds, e);
	else
		result = error_set(e, "%s: %s", directory, strerror(errno));
	free(absolute);
	return result < 0 ? NULL : run_open(directory, e);
}

struct self *self_open(const struct run *original, enum self_extent extent, struct error *e)
{
	char *directory = xasprintf("%s/self", original->directory);
	struct run *run = run_open(directory, e);
	struct self *s = NULL;

	if (extent != SELF_RECORDED && (!run || !enough(run, extent == SELF_BRIEF))) {
		if (run)
			run_close(run);
		run = execute(original, directory, extent == SELF_BRIEF, e);
	}
	free(directory);
	if (!run)
		return NULL;
	s = xcalloc(1, sizeof *s);
	s->run = run;
	orders_init(&s->orders);
	if (self_read_graph(s, e) < 0 || self_try_guesses(s, e) < 0) {
		self_free(s);
		return NULL;
	}
	return s;
}

void self_free(struct self *s)
{
	if (!s)
		return;
	run_close(s->run);
	orders_free(&s->orders);
	numbering_free(&s->objects);
	numbering_free(&s->symbols);
	numbering_free(&s->methods);
	numbering_free(&s->results);
	free(s->by_method);
	free(s->guesses);
	free(s);
}

bool self_complete(const struct self *s)
{
	return s->complete;
}

uint64_t self_executions(const struct self *s)
{
	return s->executions;
}

const struct orders *self_orders(const struct self *s)
{
	return &s->orders;
}
