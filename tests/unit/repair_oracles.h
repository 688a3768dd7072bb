/* SPDX-License-Identifier: MIT
 *
 * Two oracles for trace eliminators: the plain enumeration of all sequences of conflict edges, and
 * the definition (all ways to cut the operations into intervals, each tested for a cycle of the
 * contracted graph). Include cmocka.h first.
 */
#ifndef REPAIR_ORACLES_H
#define REPAIR_ORACLES_H

#include "repair/eliminator.h"
#include "repair_traces.h"

#define MAX_EVENTS 64
#define MAX_SETS   20000

/* A set of segments as a list; first == NONE ends it. */
struct set {
	struct segment s[MAX_EVENTS / 2 + 1];
};

struct sets {
	struct set *list;
	uint32_t n;
};

static bool inside(const struct set *inner, const struct set *outer)
{
	for (const struct segment *a = inner->s; a->first != NONE; a++) {
		bool found = false;

		for (const struct segment *b = outer->s; b->first != NONE && !found; b++)
			found = b->first <= a->first && a->last <= b->last;
		if (!found)
			return false;
	}
	return true;
}

/* Segments of different threads interleave in the trace: containment is only meant within a
 * thread. */
static bool subsumed(const struct trace *t, const struct set *inner, const struct set *outer)
{
	struct set filtered = *outer;

	for (const struct segment *a = inner->s; a->first != NONE; a++) {
		uint32_t n = 0;
		struct set one = { { *a, { NONE, 0 } } };

		for (const struct segment *b = outer->s; b->first != NONE; b++)
			if (t->events[b->first].thread == t->events[a->first].thread)
				filtered.s[n++] = *b;
		filtered.s[n].first = NONE;
		if (!inside(&one, &filtered))
			return false;
	}
	return true;
}

static void keep_minimal(const struct trace *t, struct sets *all, const struct set *candidate)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++)
		if (subsumed(t, &all->list[i], candidate))
			return;
	for (uint32_t i = 0; i < all->n; i++)
		if (!subsumed(t, candidate, &all->list[i]))
			all->list[n++] = all->list[i];
	assert_true(n < MAX_SETS);
	all->list[n++] = *candidate;
	all->n = n;
}

static bool overlap(const struct event *a, const struct event *b)
{
	static const bool conflict[4][4] = {
		[LP_READS] = { [LP_WRITES] = true, [LP_SHARES] = true },
		[LP_WRITES] = { [LP_READS] = true, [LP_WRITES] = true, [LP_SHARES] = true },
		[LP_SHARES] = { [LP_READS] = true, [LP_WRITES] = true },
	};

	return a->thread != b->thread && conflict[a->access][b->access] && a->region == b->region && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

static uint32_t first_of(const struct trace *t, uint32_t thread)
{
	uint32_t i = 0;

	while (i < t->nevents && t->events[i].thread != thread)
		i++;
	return i;
}

/* Must b come after a in all equivalent traces, directly? Events of different threads. */
static bool edge(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct event *x = &t->events[a], *y = &t->events[b];

	if (a >= b || x->thread == y->thread)
		return false;
	if (x->kind == LP_EV_CREATE && x->other == y->thread && first_of(t, y->thread) == b)
		return true;
	if (y->kind == LP_EV_JOIN && y->other == x->thread)
		return true;
	return overlap(x, y);
}

/* The plain enumeration. */
struct plain {
	const struct trace *t;
	uint32_t source[MAX_EVENTS * MAX_EVENTS], target[MAX_EVENTS * MAX_EVENTS], nedges;
	uint32_t path[MAX_TEST_THREADS];
	struct sets *found;
};

/* Joins edge i to edge j: false if that is not allowed; *s is the critical segment, first == NONE
 * if there is none. */
static bool connect(const struct trace *t, uint32_t entry, uint32_t exit, struct segment *s)
{
	const struct event *in = &t->events[entry], *out = &t->events[exit];

	s->first = NONE;
	if (in->thread != out->thread)
		return false;
	if (exit >= entry)
		return true;
	*s = (struct segment){ exit, entry };
	return in->op != NONE && in->op == out->op;
}

static void close_plain(struct plain *p, uint32_t n)
{
	struct set set;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct segment s;

		if (!connect(p->t, p->target[p->path[i]], p->source[p->path[(i + 1) % n]], &s))
			return;
		if (s.first != NONE)
			set.s[count++] = s;
	}
	set.s[count].first = NONE;
	keep_minimal(p->t, p->found, &set);
}

static void extend_plain(struct plain *p, uint32_t n, uint32_t threads)
{
	if (n >= 2)
		close_plain(p, n);
	for (uint32_t k = 0; k < p->nedges; k++) {
		struct segment s;
		uint32_t bit = 1u << p->t->events[p->source[k]].thread;

		if (threads & bit)
			continue;
		if (n && !connect(p->t, p->target[p->path[n - 1]], p->source[k], &s))
			continue;
		p->path[n] = k;
		extend_plain(p, n + 1, threads | bit);
	}
}

static void plain_enumeration(const struct trace *t, struct sets *found)
{
	static struct plain p;

	p.t = t;
	p.found = found;
	p.nedges = 0;
	found->n = 0;
	for (uint32_t a = 0; a < t->nevents; a++)
		for (uint32_t b = a + 1; b < t->nevents; b++)
			if (edge(t, a, b)) {
				p.source[p.nedges] = a;
				p.target[p.nedges++] = b;
			}
	extend_plain(&p, 0, 0);
}

/* The definition. node[i] is the transaction of event i. */
static bool contracted_cycle(const struct trace *t, const uint32_t *node)
{
	uint64_t reach[MAX_EVENTS] = { 0 };
	uint32_t n = t->nevents;

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			if (node[a] != node[b] &&
			    (t->events[a].thread == t->events[b].thread || edge(t, a, b)))
				reach[node[a]] |= 1ULL << node[b];
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			if (reach[a] >> k & 1)
				reach[a] |= reach[k];
	for (uint32_t a = 0; a < n; a++)
		if (reach[a] >> a & 1)
			return true;
	return false;
}

static void definition(const struct trace *t, struct sets *found)
{
	uint32_t cut[MAX_EVENTS], before[MAX_EVENTS], ncuts = 0;

	/* cut[]: pairs of neighbours inside an operation, which may be in one interval or not. */
	for (uint32_t i = 0; i < t->nevents; i++)
		for (uint32_t j = i; j-- > 0;)
			if (t->events[j].thread == t->events[i].thread) {
				if (t->events[i].op != NONE && t->events[i].op == t->events[j].op) {
					before[ncuts] = j;
					cut[ncuts++] = i;
				}
				break;
			}
	assert_true(ncuts < 16);
	found->n = 0;
	for (uint32_t mask = 0; mask < 1u << ncuts; mask++) {
		uint32_t node[MAX_EVENTS], last[MAX_EVENTS], n = 0;
		struct set set;

		for (uint32_t i = 0; i < t->nevents; i++)
			node[i] = i;
		for (uint32_t c = 0; c < ncuts; c++) /* cuts are sorted by the later event */
			if (mask & 1u << c)
				node[cut[c]] = node[before[c]];
		for (uint32_t i = 0; i < t->nevents; i++)
			last[node[i]] = i;
		for (uint32_t i = 0; i < t->nevents; i++)
			if (node[i] == i && last[i] != i)
				set.s[n++] = (struct segment){ i, last[i] };
		set.s[n].first = NONE;
		if (contracted_cycle(t, node))
			keep_minimal(t, found, &set);
	}
}

#endif
