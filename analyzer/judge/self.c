/* SPDX-License-Identifier: MIT
 *
 * Threads and objects have other numbers in every run, so they are compared by name: threads by
 * their creation, objects by where they are.
 *
 * Objects are independent of each other: the orders of an object are those of its own operations.
 */
#include "judge/self.h"
#include "base/numbering.h"
#include "format/search.h"
#include "judge/execute.h"
#include "judge/value.h"
#include "judge/verdict.h"
#include "lin/lin.h"
#include "run/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_EXECUTIONS 500000 /* the tree of orders is kept in memory */

struct self {
	struct orders orders;
	struct numbering objects, symbols;
	uint32_t *roots; /* by object */
	uint32_t roots_capacity;
	bool complete;
};

bool self_named(const char *specification)
{
	return specification && adt_find(specification) &&
	       adt_find(specification) == adt_find("self");
}

bool self_wanted(const struct run *run, const char *specification)
{
	for (uint32_t i = 0; i < run->nobjects; i++) {
		uint32_t s = run->objects[i].specification;

		if (s < run->nstrings && self_named(run->strings[s]))
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

uint32_t self_root(struct self *s, const struct run *run, uint32_t location)
{
	char *name = object_name(run, location);
	bool added;
	uint32_t n = numbering_add(&s->objects, name, strlen(name), &added);

	free(name);
	if (added) {
		VEC_GROW(s->roots, n, s->roots_capacity);
		s->roots[n] = ORDERS_NOTHING;
	}
	return s->roots[n];
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

/* ---- sequential executions ---- */

/* An execution's operations are in the order of their calls, which is that in which they ran. */
static void add_execution(struct self *s, const struct run *run, const struct trace *t,
			  uint32_t *at, uint32_t *objects)
{
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < t->nops; i++) {
		const struct operation *op = &t->ops[i];

		for (k = 0; k < n && objects[k] != op->object; k++)
			;
		if (k == n) {
			uint32_t root = self_root(s, run, op->object);

			if (root == ORDERS_NOTHING) {
				char *name = object_name(run, op->object);
				bool added;

				root = orders_root(&s->orders);
				s->roots[numbering_add(&s->objects, name, strlen(name), &added)] =
					root;
				free(name);
			}
			objects[n] = op->object;
			at[n++] = root;
		}
		if (op->ret_event != NONE)
			at[k] = orders_follow(&s->orders, at[k], self_symbol(s, run, op),
					      operation_value(op));
	}
}

static int read_executions(struct self *s, struct run *run, struct error *e)
{
	struct trace t = { 0 };
	uint32_t *at = NULL, *objects = NULL, capacity = 0;
	int more;

	while ((more = run_next(run, &t, e)) == 1) {
		if (t.nops > capacity) {
			capacity = t.nops * 2;
			at = xreallocarray(at, capacity, sizeof *at);
			objects = xreallocarray(objects, capacity, sizeof *objects);
		}
		add_execution(s, run, &t, at, objects);
	}
	s->complete = search_complete(&run->status);
	free(at);
	free(objects);
	trace_free(&t);
	return more;
}

static void make_sequential(struct launch *l, struct settings *s, void *data)
{
	s->search = lp_search_name(LP_SEARCH_SEQUENTIAL);
	s->max_executions = MOST_EXECUTIONS;
}

/* RUNDIR/self; executions that were broken off are made again. */
static struct run *open_run(const struct run *original, const char *directory, struct error *e)
{
	struct run *run = run_open(directory, NULL);
	char *absolute;
	int result;

	if (run && run->status.end != LP_END_RUNNING && run->status.end != LP_END_INTERRUPTED)
		return run;
	if (run)
		run_close(run);
	if (mkdir(directory, 0777) < 0 && errno != EEXIST) {
		error_set(e, "%s: %s", directory, strerror(errno));
		return NULL;
	}
	run_files_remove(directory);
	absolute = realpath(directory, NULL);
	if (absolute)
		result = execute_again(original, absolute, "in its sequential executions",
				       make_sequential, NULL, e);
	else
		result = error_set(e, "%s: %s", directory, strerror(errno));
	free(absolute);
	return result < 0 ? NULL : run_open(directory, e);
}

struct self *self_open(const struct run *original, struct error *e)
{
	char *directory = xasprintf("%s/self", original->directory);
	struct run *run = open_run(original, directory, e);
	struct self *s = NULL;

	free(directory);
	if (!run)
		return NULL;
	s = xcalloc(1, sizeof *s);
	orders_init(&s->orders);
	if (read_executions(s, run, e) < 0) {
		self_free(s);
		s = NULL;
	}
	run_close(run);
	return s;
}

void self_free(struct self *s)
{
	if (!s)
		return;
	orders_free(&s->orders);
	numbering_free(&s->objects);
	numbering_free(&s->symbols);
	free(s->roots);
	free(s);
}

bool self_complete(const struct self *s)
{
	return s->complete;
}

const struct orders *self_orders(const struct self *s)
{
	return &s->orders;
}
