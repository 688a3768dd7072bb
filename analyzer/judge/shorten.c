/* SPDX-License-Identifier: MIT
 *
 * A breadth-first search over the cuts of the partial order that equivalent executions have in
 * common. A move lets one thread run as far as it can: to run on disables nobody and saves a switch,
 * so nothing is lost by that. The first time that all events are behind the cut, the number of
 * moves is the least. Each cut is met once.
 */
#include "judge/shorten.h"

#include "base/numbering.h"
#include "repair/order.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 20000
#define MAX_OPS    400
#define MAX_CUTS   20000

struct edge {
	uint32_t from, next; /* event that comes first; next edge of the event, NONE */
};

struct shortening {
	const struct trace *t;
	uint32_t **events, *nevents; /* by thread, in program order */
	uint32_t *at;                /* by event: its number in its thread */
	uint32_t *first;             /* by event: edge, NONE */
	struct edge *edges;
	uint32_t nedges, capacity;
	/* cuts: positions by thread, from where they were reached, which thread ran */
	uint32_t *cuts, *parent, *thread;
	uint32_t ncuts;
	struct numbering known;
};

static void add_edge(struct shortening *s, uint32_t from, uint32_t to)
{
	if (s->t->events[from].thread == s->t->events[to].thread)
		return;
	VEC_GROW(s->edges, s->nedges, s->capacity);
	s->edges[s->nedges] = (struct edge){ from, s->first[to] };
	s->first[to] = s->nedges++;
}

static void add_order(struct shortening *s)
{
	struct order o = { 0 };

	order_build(&o, s->t);
	for (uint32_t i = 0; i < s->t->nevents; i++)
		for (uint32_t k = o.edge_start[i]; k < o.edge_start[i + 1]; k++)
			add_edge(s, i, o.targets[k]);
	order_free(&o);
}

/* Operations one after the other stay so. */
static void add_times(struct shortening *s, const uint32_t *order)
{
	const struct trace *t = s->t;
	uint32_t *place = xcalloc(t->nevents, sizeof *place);

	for (uint32_t i = 0; i < t->nevents; i++)
		place[order ? order[i] : i] = i;
	for (uint32_t a = 0; a < t->nops; a++)
		for (uint32_t b = 0; t->ops[a].ret_event != NONE && b < t->nops; b++)
			if (place[t->ops[a].ret_event] < place[t->ops[b].call])
				add_edge(s, t->ops[a].ret_event, t->ops[b].call);
	free(place);
}

/* An execution that ends with what a thread does next must not come to that before. */
static void add_end(struct shortening *s)
{
	const struct trace *t = s->t;
	uint32_t final = trace_final(t);

	for (uint32_t i = 0; i < t->nthreads && final != NONE; i++)
		if (i != t->events[final].thread && s->nevents[i])
			add_edge(s, s->events[i][s->nevents[i] - 1], final);
}

static void begin(struct shortening *s, const struct trace *t)
{
	*s = (struct shortening){ .t = t };
	s->events = xcalloc(t->nthreads, sizeof *s->events);
	s->nevents = xcalloc(t->nthreads, sizeof *s->nevents);
	s->at = xcalloc(t->nevents, sizeof *s->at);
	s->first = xcalloc(t->nevents, sizeof *s->first);
	for (uint32_t i = 0; i < t->nevents; i++) {
		s->first[i] = NONE;
		s->at[i] = s->nevents[t->events[i].thread]++;
	}
	for (uint32_t i = 0; i < t->nthreads; i++)
		s->events[i] = xcalloc(s->nevents[i], sizeof **s->events);
	for (uint32_t i = 0; i < t->nevents; i++)
		s->events[t->events[i].thread][s->at[i]] = i;
	s->cuts = xreallocarray(NULL, (size_t)MAX_CUTS * t->nthreads, sizeof *s->cuts);
	s->parent = xreallocarray(NULL, MAX_CUTS, sizeof *s->parent);
	s->thread = xreallocarray(NULL, MAX_CUTS, sizeof *s->thread);
}

static void end(struct shortening *s)
{
	for (uint32_t i = 0; i < s->t->nthreads; i++)
		free(s->events[i]);
	free(s->events);
	free(s->nevents);
	free(s->at);
	free(s->first);
	free(s->edges);
	free(s->cuts);
	free(s->parent);
	free(s->thread);
	numbering_free(&s->known);
}

static bool can_run(const struct shortening *s, const uint32_t *cut, uint32_t event)
{
	for (uint32_t k = s->first[event]; k != NONE; k = s->edges[k].next) {
		uint32_t from = s->edges[k].from;

		if (cut[s->t->events[from].thread] <= s->at[from])
			return false;
	}
	return true;
}

static bool run(const struct shortening *s, uint32_t *cut, uint32_t thread)
{
	uint32_t before = cut[thread];

	while (cut[thread] < s->nevents[thread] && can_run(s, cut, s->events[thread][cut[thread]]))
		cut[thread]++;
	return cut[thread] > before;
}

static bool complete(const struct shortening *s, const uint32_t *cut)
{
	for (uint32_t i = 0; i < s->t->nthreads; i++)
		if (cut[i] < s->nevents[i])
			return false;
	return true;
}

/* The number of the last cut, NONE if there are too many. */
static uint32_t search(struct shortening *s)
{
	uint32_t n = s->t->nthreads;
	size_t size = n * sizeof *s->cuts;
	bool added;

	memset(s->cuts, 0, size);
	s->thread[0] = NONE;
	s->ncuts = 1;
	numbering_add(&s->known, s->cuts, size, &added);
	for (uint32_t i = 0; i < s->ncuts; i++) {
		for (uint32_t thread = 0; thread < n; thread++) {
			uint32_t *cut = s->cuts + (size_t)s->ncuts * n;

			if (s->ncuts == MAX_CUTS)
				return NONE;
			memcpy(cut, s->cuts + (size_t)i * n, size);
			if (thread == s->thread[i] || !run(s, cut, thread))
				continue;
			numbering_add(&s->known, cut, size, &added);
			if (!added)
				continue;
			s->parent[s->ncuts] = i;
			s->thread[s->ncuts] = thread;
			if (complete(s, cut))
				return s->ncuts;
			s->ncuts++;
		}
	}
	return NONE;
}

/* From the last cut back to the first one. */
static uint32_t *write_order(const struct shortening *s, uint32_t last)
{
	uint32_t *order = xreallocarray(NULL, s->t->nevents, sizeof *order);
	uint32_t at = s->t->nevents;

	for (uint32_t i = last; i; i = s->parent[i]) {
		uint32_t thread = s->thread[i];
		const uint32_t *to = s->cuts + (size_t)i * s->t->nthreads,
			       *from = s->cuts + (size_t)s->parent[i] * s->t->nthreads;

		for (uint32_t k = to[thread]; k-- > from[thread];)
			order[--at] = s->events[thread][k];
	}
	return order;
}

/* As a schedule has them: only steps are choices. */
static uint32_t switches(const struct trace *t, const uint32_t *order)
{
	uint32_t n = 0, thread = NONE;

	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[order ? order[i] : i];

		if (ev->kind > LP_EV_LAST_STEP)
			continue;
		n += ev->thread != thread;
		thread = ev->thread;
	}
	return n;
}

uint32_t *shorten(const struct trace *t, const uint32_t *order, bool times)
{
	struct shortening s;
	uint32_t last, *shorter = NULL;

	if (!t->nevents || t->nevents > MAX_EVENTS || t->nops > MAX_OPS ||
	    t->outcome.kind == LP_OUT_LIVELOCK || t->outcome.kind == LP_OUT_NO_PROGRESS)
		return NULL;
	begin(&s, t);
	add_order(&s);
	if (times)
		add_times(&s, order);
	add_end(&s);
	last = search(&s);
	if (last != NONE)
		shorter = write_order(&s, last);
	end(&s);
	if (shorter && switches(t, shorter) < switches(t, order))
		return shorter;
	free(shorter);
	return NULL;
}
