/* SPDX-License-Identifier: MIT */
#include "judge/leaks.h"
#include "base/util.h"
#include "run/history_line.h"

#include <stdlib.h>
#include <string.h>

/* Those that are in all classes come last: they are so with any schedule. */
static int compare(const void *a, const void *b)
{
	const struct leaking *x = a, *y = b;

	if (x->classes != y->classes)
		return x->classes < y->classes ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(struct srcmap *m, uint32_t site, uint32_t other)
{
	const struct source_frame *f = srcmap_own_frame(m, site), *g = srcmap_own_frame(m, other);

	return site == other || (f && g && f->line && f->line == g->line &&
				 f->column == g->column && same_text(f->file, g->file));
}

struct leaking *leaks_of(const struct analysis *a, size_t *n)
{
	struct leaking *list = NULL;
	size_t capacity = 0, at;

	*n = 0;
	for (uint32_t i = 0; i < a->run->nleaks; i++) {
		const struct leak *l = &a->run->leaks[i];

		for (at = 0; at < *n && !same_place(a->map, list[at].site, l->site); at++)
			;
		if (at == *n) {
			VEC_GROW(list, *n, capacity);
			list[(*n)++] = (struct leaking){ .site = l->site, .class = l->class };
		}
		if (list[at].class == l->class) {
			list[at].blocks += l->blocks;
			list[at].bytes += l->bytes;
		}
		if (list[at].last != l->class)
			list[at].classes++;
		list[at].last = l->class;
	}
	if (*n)
		qsort(list, *n, sizeof *list, compare);
	return list;
}

static char *place_of(struct srcmap *m, uint32_t site)
{
	return xstrdup(srcmap_place(m, srcmap_own_frame(m, site), true));
}

static int add_finding(struct analysis *a, const struct leaking *l, struct error *e)
{
	struct finding *f;
	struct trace t = { 0 };
	int found = run_load(a->run, l->class, &t, e);

	if (found > 0) {
		VEC_GROW(a->findings, a->nfindings, a->findings_capacity);
		f = &a->findings[a->nfindings++];
		*f = (struct finding){ .outcome = LP_OUT_LEAK,
				       .class = l->class,
				       .classes = l->classes,
				       .schedule = trace_schedule(a->run, &t),
				       .as_recorded = true,
				       .history = history_line("", a->run, &t),
				       .end = place_of(a->map, l->site),
				       .leak = ++a->nleaks };
	}
	trace_free(&t);
	return found < 0 ? -1 : 0;
}

int leaks_find(struct analysis *a, struct error *e)
{
	size_t n;
	struct leaking *list = leaks_of(a, &n);
	int result = 0;

	for (size_t i = 0; i < n && result == 0; i++)
		result = add_finding(a, &list[i], e);
	free(list);
	return result;
}

static void leak_outcome(const struct run *run, struct trace *t, const struct leak *l)
{
	const struct location *at = &run->locations[l->location];
	struct outcome *o = &t->outcome;

	o->kind = LP_OUT_LEAK;
	o->thread = at->type == LP_LOC_HEAP && at->a < run->nthreads ? at->a : NONE;
	o->site = l->site;
	o->code = (int64_t)l->blocks;
	o->message = o->stack = NONE;
	o->nwaiters = 0;
	VEC_GROW(o->waiters, o->nwaiters, t->waiters_capacity);
	o->waiters[o->nwaiters++] = (struct waiter){ o->thread, l->site, l->location, NONE, LP_WAIT_NOTHING };
}

bool leaks_show(const struct run *run, struct srcmap *map, const struct finding *f, struct trace *t, bool show)
{
	bool found = false;

	for (uint32_t i = 0; i < run->nleaks && !found; i++) {
		char *place;

		if (run->leaks[i].class != t->number)
			continue;
		place = place_of(map, run->leaks[i].site);
		found = !strcmp(place, f->end);
		free(place);
		if (found && show)
			leak_outcome(run, t, &run->leaks[i]);
	}
	return found;
}
