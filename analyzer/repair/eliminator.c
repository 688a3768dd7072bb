/* SPDX-License-Identifier: MIT
 *
 * Optimal trace eliminators (Cirisci, Enea, Farzan, Mutluergil, "Root Causing Linearizability
 * Violations", CAV 2020).
 *
 * Atomic blocks exclude a trace and all equivalent ones iff the trace is not conflict serializable
 * with the blocks as transactions, that is, iff the graph of program order and conflicts,
 * contracted by the blocks, has a cycle. Such a cycle is a sequence of conflict edges; within each
 * thread it enters at one event and leaves at another. Where it leaves before it enters, which is
 * possible inside one operation only, it needs the segment between the two to be atomic: a critical
 * segment. Simple cycles that visit each thread at most once suffice for the minimal sets.
 *
 * The walk goes depth first over (thread, entry event), shortest cycles first, each cycle from its
 * lowest thread. Of the many conflict edges only few are followed, and no minimal set is lost:
 *  - From an event x to a thread u only the edge to the earliest conflicting event y counts. An
 *    earlier entry makes every segment that ends there smaller, or unnecessary, and segments stay
 *    inside their operation.
 *  - Of the exits at or after the entry (they cost nothing) one with the earliest y counts.
 *  - Of the exits before the entry, going backwards, only those count that reach an earlier y than
 *    all later exits do: the others cost a larger segment for nothing. So hundreds of reads in a
 *    spin loop are one edge.
 *  - The same holds for the exit at which the cycle starts.
 *  - A branch whose segments contain those of a set already found is cut.
 *
 * Cost: the number of edges followed is bounded by (drops)^threads in the worst case, where drops
 * are the distinct earliest events of one thread seen from another inside an operation; output of
 * that size exists. Bounds on work and sets are counted, so the result is the same everywhere; only
 * where there is a bound on time, that ends it, too. Reaching one is reported.
 */
#include "repair/eliminator.h"
#include "base/budget.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY 16384 /* units of work, between looks at the clock */

struct walk {
	const struct trace *t;
	const struct order *o;
	uint32_t n;      /* threads */
	uint32_t *reach; /* [e * n + u]: earliest y over all exits at or after e */
	uint32_t *drop;  /* [e * n + u]: last exit before e that reaches an earlier y, NONE */
	uint32_t *tail;  /* [thread]: its last event */
	bool *visited;
	/* [thread]: the path's segment there; first == NONE if it has none */
	struct segment *present;
	struct segment *found; /* [set * n + thread] */
	uint32_t nfound, found_capacity, max_sets;
	uint32_t start, exit; /* thread and event at which the cycle starts */
	uint64_t work, max_work, next_look;
	bool stop;
};

static void walk_init(struct walk *w)
{
	uint32_t n = w->n;

	w->reach = order_earliest(w->o, w->t);
	w->drop = xmalloc((w->o->nevents + (size_t)1) * n * sizeof *w->drop);
	w->tail = xmalloc(n * sizeof *w->tail);
	memset(w->tail, 0xff, n * sizeof *w->tail);
	for (uint32_t i = w->o->nevents; i-- > 0;) {
		uint32_t next = w->o->next[i];

		if (next == NONE)
			w->tail[w->t->events[i].thread] = i;
		for (uint32_t u = 0; next != NONE && u < n; u++)
			if (w->reach[next * (size_t)n + u] < w->reach[i * (size_t)n + u])
				w->reach[i * (size_t)n + u] = w->reach[next * (size_t)n + u];
	}
	for (uint32_t i = 0; i < w->o->nevents; i++) {
		uint32_t p = w->o->previous[i];

		for (uint32_t u = 0; u < n; u++) {
			size_t at = i * (size_t)n + u, before = p * (size_t)n + u;

			if (p == NONE)
				w->drop[at] = NONE;
			else
				w->drop[at] = w->reach[before] < w->reach[at] ? p : w->drop[before];
		}
	}
	w->visited = xcalloc(n, sizeof *w->visited);
	w->present = xmalloc(n * sizeof *w->present);
	memset(w->present, 0xff, n * sizeof *w->present);
}

static bool covers(const struct segment *outer, const struct segment *inner)
{
	if (inner->first == NONE)
		return true;
	return outer->first != NONE && outer->first <= inner->first && inner->last <= outer->last;
}

static bool set_covers(const struct segment *outer, const struct segment *inner, uint32_t n)
{
	for (uint32_t u = 0; u < n; u++)
		if (!covers(&outer[u], &inner[u]))
			return false;
	return true;
}

static void count_work(struct walk *w, uint32_t amount)
{
	w->work += amount;
	if (w->work > w->max_work)
		w->stop = true;
	if (w->work < w->next_look)
		return;
	w->next_look = w->work + LOOK_EVERY;
	if (budget_phase_over())
		w->stop = true;
}

/* Does the path contain a set that was found? */
static bool redundant(struct walk *w)
{
	count_work(w, w->nfound + 1);
	for (uint32_t k = 0; k < w->nfound; k++)
		if (set_covers(w->present, w->found + (size_t)k * w->n, w->n))
			return true;
	return false;
}

static void record(struct walk *w)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < w->nfound; k++) {
		const struct segment *set = w->found + (size_t)k * w->n;

		if (set_covers(set, w->present, w->n))
			continue;
		memmove(w->found + (size_t)kept++ * w->n, set, w->n * sizeof *set);
	}
	w->nfound = kept;
	if (w->nfound == w->max_sets) {
		w->stop = true;
		return;
	}
	if (w->nfound == w->found_capacity) {
		w->found_capacity = w->found_capacity * 2 + 16;
		w->found = xreallocarray(w->found, w->found_capacity, w->n * sizeof *w->found);
	}
	memcpy(w->found + (size_t)w->nfound++ * w->n, w->present, w->n * sizeof *w->found);
}

static bool same_operation(const struct order *o, uint32_t a, uint32_t b)
{
	return o->instance[a] != NONE && o->instance[a] == o->instance[b];
}

/* The cycle comes back to its first thread at event y. */
static void close_cycle(struct walk *w, uint32_t y)
{
	if (y > w->exit) {
		if (!same_operation(w->o, w->exit, y))
			return;
		w->present[w->start] = (struct segment){ w->exit, y };
	}
	if (!redundant(w))
		record(w);
	w->present[w->start].first = NONE;
}

static void enter(struct walk *w, uint32_t e, uint32_t left);

/* Follows the edges from one exit region of the thread entered at e to thread u. */
static void leave(struct walk *w, uint32_t u, uint32_t y, uint32_t left)
{
	count_work(w, 1);
	if (y == NONE || w->stop)
		return;
	if (u == w->start)
		close_cycle(w, y);
	else
		enter(w, y, left - 1);
}

static void leave_to(struct walk *w, uint32_t e, uint32_t u, uint32_t left)
{
	struct segment *segment = &w->present[w->t->events[e].thread];
	uint32_t p = w->drop[e * (size_t)w->n + u];

	leave(w, u, w->reach[e * (size_t)w->n + u], left);
	for (; p != NONE && same_operation(w->o, p, e) && !w->stop;
	     p = w->drop[p * (size_t)w->n + u]) {
		*segment = (struct segment){ p, e };
		if (redundant(w))
			break; /* exits farther back make the segment larger */
		leave(w, u, w->reach[p * (size_t)w->n + u], left);
	}
	segment->first = NONE;
}

/* The path enters a thread at event e; `left` more threads belong to the cycle. */
static void enter(struct walk *w, uint32_t e, uint32_t left)
{
	uint32_t thread = w->t->events[e].thread;

	if (!left) {
		leave_to(w, e, w->start, left);
		return;
	}
	w->visited[thread] = true;
	for (uint32_t u = w->start + 1; u < w->n && !w->stop; u++)
		if (!w->visited[u])
			leave_to(w, e, u, left);
	w->visited[thread] = false;
}

/* All cycles of `length` threads whose lowest thread is `start`. */
static void walk_from(struct walk *w, uint32_t start, uint32_t length)
{
	uint32_t tail = w->tail[start];

	w->start = start;
	for (uint32_t u = start + 1; u < w->n && tail != NONE && !w->stop; u++) {
		uint32_t x = tail;

		if (w->reach[x * (size_t)w->n + u] == NONE)
			x = w->drop[x * (size_t)w->n + u];
		for (; x != NONE && !w->stop; x = w->drop[x * (size_t)w->n + u]) {
			w->exit = x;
			enter(w, w->reach[x * (size_t)w->n + u], length - 2);
		}
	}
}

static uint32_t set_length(const struct segment *set, uint32_t n)
{
	uint32_t length = 0;

	for (uint32_t u = 0; u < n; u++)
		if (set[u].first != NONE)
			length += set[u].last - set[u].first;
	return length;
}

static void add_set(struct eliminators *r, const struct segment *set, uint32_t n)
{
	VEC_GROW(r->sets, r->nsets, r->sets_capacity);
	r->sets[r->nsets] = (struct segment_set){ r->nsegments, 0 };
	for (uint32_t u = 0; u < n; u++)
		if (set[u].first != NONE) {
			VEC_GROW(r->segments, r->nsegments, r->segments_capacity);
			r->segments[r->nsegments++] = set[u];
			r->sets[r->nsets].count++;
		}
	r->nsets++;
}

struct sized {
	uint32_t length, index;
};

static int compare_sized(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Hands over what was found, shortest segments first. */
static void finish(struct walk *w, struct eliminators *r)
{
	struct sized *order = xmalloc(w->nfound * sizeof *order);

	for (uint32_t k = 0; k < w->nfound; k++)
		order[k] = (struct sized){ set_length(w->found + (size_t)k * w->n, w->n), k };
	if (w->nfound)
		qsort(order, w->nfound, sizeof *order, compare_sized);
	for (uint32_t k = 0; k < w->nfound; k++)
		add_set(r, w->found + (size_t)order[k].index * w->n, w->n);
	free(order);
	r->truncated = w->stop;
	r->work = w->work;
}

void eliminators_find(const struct trace *t, const struct order *o, uint64_t max_work,
		      uint32_t max_sets, struct eliminators *r)
{
	struct walk w = { .t = t, .o = o, .n = o->nthreads };

	r->nsets = r->nsegments = 0;
	r->truncated = false;
	r->work = 0;
	if (!o->nthreads)
		return;
	w.max_work = max_work ? max_work : ELIMINATOR_WORK;
	w.max_sets = max_sets ? max_sets : ELIMINATOR_SETS;
	walk_init(&w);
	for (uint32_t length = 2; length <= w.n && !w.stop; length++)
		for (uint32_t start = 0; start + length <= w.n && !w.stop; start++)
			walk_from(&w, start, length);
	finish(&w, r);
	free(w.reach);
	free(w.drop);
	free(w.tail);
	free(w.visited);
	free(w.present);
	free(w.found);
}

void eliminators_free(struct eliminators *r)
{
	free(r->segments);
	free(r->sets);
	memset(r, 0, sizeof *r);
}
