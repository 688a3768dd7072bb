/* SPDX-License-Identifier: MIT
 *
 * From atomic blocks to the lines that one new lock has to hold.
 *
 * Nobody runs inside an atomic block. A lock only keeps out who takes it, too. Blocks that are closed
 * under two rules are excluded alike in both senses:
 *
 *  - Conflicting lines: an access outside of all blocks that conflicts with one inside becomes a block.
 *    Else it can happen in the middle of one. A trylock that fails sees a lock that is taken inside.
 *  - Whole critical sections: a block that begins, ends or lies in the critical section of a lock is
 *    widened to it. So the new lock is always the outer one, and the locks that are there cannot
 *    deadlock with it.
 *
 * Both rules go on until nothing changes. They look at executions, not at the text: a sample of the traces
 * that has every access at every place at least once. Accesses that creation and join of threads order
 * do not conflict: what main does before there are other threads needs no lock.
 */
#include "repair/closure.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbering.h"
#include "repair/check.h"
#include "repair/locate.h"

#define MOST_TRACES 256
#define MOST_EVENTS 4000 /* the work goes with their square */
#define MOST_ROUNDS 16

struct closure {
	struct flows *flows;
	struct checker *checker;
	struct order order;
	struct numbering seen; /* (site, location, thread) */
	struct trace *traces;
	uint32_t n, capacity;
	bool operations;
	uint32_t *clocks; /* by event and thread: so many events of the thread come before it */
	size_t clocks_capacity;
	uint32_t *last; /* by thread */
	uint32_t last_capacity;
};

struct closure *closure_new(const struct source_map *map, bool operations)
{
	struct closure *c = xcalloc(1, sizeof *c);

	c->flows = flows_new(map);
	c->checker = checker_new(c->flows);
	c->operations = operations;
	return c;
}

void closure_free(struct closure *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		trace_free(&c->traces[i]);
	free(c->traces);
	free(c->clocks);
	free(c->last);
	numbering_free(&c->seen);
	order_free(&c->order);
	checker_free(c->checker);
	flows_free(c->flows);
	free(c);
}

void closure_see(struct closure *c, const struct trace *t)
{
	bool new = false;

	if (c->n == MOST_TRACES || t->nevents > MOST_EVENTS)
		return;
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		const uint32_t key[3] = { e->site, e->location, e->thread };
		bool added;

		numbering_add(&c->seen, key, sizeof key, &added);
		new |= added;
	}
	if (!new)
		return;
	VEC_GROW(c->traces, c->n, c->capacity);
	trace_copy(&c->traces[c->n++], t);
}

void closed_free(struct closed *c)
{
	repair_free(&c->blocks);
	repair_free(&c->added);
	free(c->sections);
	memset(c, 0, sizeof *c);
}

/* ---- conflicting lines ---- */

static bool inside(const struct closure *c, uint32_t site, const struct repair *r)
{
	const struct source_frame *f;

	for (uint32_t d = 0; (f = flows_frame(c->flows, site, d)) != NULL; d++) {
		const struct block at = { f->file, f->function, f->line, frame_last_line(f) };

		for (uint32_t i = 0; f->file && f->function && f->line && i < r->nblocks; i++)
			if (block_inside(&at, &r->blocks[i]))
				return true;
	}
	return false;
}

/* The line of an event as a block. */
static bool line_of(const struct closure *c, uint32_t site, struct block *b)
{
	const struct source_frame *f;
	bool found = false;

	for (uint32_t d = 0; (f = flows_frame(c->flows, site, d)) != NULL; d++)
		if (f->file && f->function && f->line) {
			*b = (struct block){ f->file, f->function, f->line, frame_last_line(f) };
			found = true;
		}
	return found;
}

static bool may_be_added(const struct event *e)
{
	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_RMW:
	case LP_EV_CAS_FAIL:
	case LP_EV_FREE:
	case LP_EV_TRYLOCK_FAIL:
		return true;
	default:
		return false;
	}
}

/* Clocks of program order, creation and join alone. */
static void count_before(struct closure *c, const struct trace *t)
{
	const struct order *o = &c->order;
	size_t n = o->nthreads, size = (t->nevents + (size_t)1) * n;

	if (size > c->clocks_capacity) {
		c->clocks_capacity = size + size / 2;
		c->clocks = xreallocarray(c->clocks, c->clocks_capacity, sizeof *c->clocks);
	}
	if (n > c->last_capacity) {
		c->last_capacity = (uint32_t)n;
		c->last = xreallocarray(c->last, n, sizeof *c->last);
	}
	memset(c->last, 0xff, n * sizeof *c->last); /* the event that created the thread */
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t *mine = c->clocks + i * n, p = o->previous[i];

		if (p == NONE)
			p = c->last[e->thread];
		if (p == NONE)
			memset(mine, 0, n * sizeof *mine);
		else
			memcpy(mine, c->clocks + p * n, n * sizeof *mine);
		mine[e->thread] = i + 1;
		if (e->kind == LP_EV_CREATE && e->other < n)
			c->last[e->other] = i;
		if (e->kind == LP_EV_JOIN && e->other < n)
			for (uint32_t k = i; k-- > 0;) {
				if (t->events[k].thread != e->other)
					continue;
				for (size_t u = 0; u < n; u++)
					if (c->clocks[k * n + u] > mine[u])
						mine[u] = c->clocks[k * n + u];
				break;
			}
	}
}

/* Does nothing but a conflict put them in an order? a comes first in the trace. */
static bool concurrent(const struct closure *c, const struct trace *t, uint32_t a, uint32_t b)
{
	return c->clocks[b * (size_t)c->order.nthreads + t->events[a].thread] < a + 1;
}

static bool add_line(struct closure *c, uint32_t site, struct closed *to)
{
	struct block b;

	if (inside(c, site, &to->blocks) || !line_of(c, site, &b))
		return false;
	repair_add(&to->blocks, &b);
	repair_add(&to->added, &b);
	return true;
}

/* One of the two is in a block, the other one is not yet, and is of the kind that is added. */
static bool add_conflicts(struct closure *c, const struct trace *t, struct closed *to)
{
	bool *in = xmalloc(t->nevents * sizeof *in), changed = false;

	count_before(c, t);
	for (uint32_t i = 0; i < t->nevents; i++)
		in[i] = inside(c, t->events[i].site, &to->blocks);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *a = &t->events[i];

		for (uint32_t k = a->access ? i + 1 : t->nevents; k < t->nevents; k++) {
			const struct event *b = &t->events[k];
			uint32_t site = in[i] ? b->site : a->site;

			if (in[i] == in[k] || !may_be_added(in[i] ? b : a) ||
			    !events_conflict(a, b) || !concurrent(c, t, i, k))
				continue;
			changed |= add_line(c, site, to);
		}
	}
	free(in);
	return changed;
}

/* ---- whole critical sections ---- */

static void remember_section(struct closure *c, const struct trace *t, const struct segment *section,
			     const struct block *whole, struct closed *to)
{
	const struct event *first = &t->events[section->first], *last = &t->events[section->last];
	struct section s = { .lock = first->location,
			     .first_site = first->site,
			     .last_site = last->site,
			     .whole = *whole };

	for (uint32_t i = 0; i < to->nsections; i++)
		if (to->sections[i].first_site == s.first_site &&
		    to->sections[i].last_site == s.last_site)
			return;
	if (!locate_segment(c->flows, t, &c->order, section, EXTENT_ENDS, &s.lines))
		return;
	VEC_GROW(to->sections, to->nsections, to->sections_capacity);
	to->sections[to->nsections++] = s;
}

static uint32_t wait_between(const struct closure *c, const struct trace *t, uint32_t first,
			     uint32_t last)
{
	for (uint32_t i = first; i != last; i = c->order.next[i])
		if (t->events[i].kind == LP_EV_WAIT || t->events[i].kind == LP_EV_BARRIER)
			return i;
	return NONE;
}

/* Does the step access memory outside of the section that the lock of the section could protect, too? */
static bool needs_lock(const struct closure *c, const struct trace *t, const struct segment *step,
		       const struct segment *section)
{
	for (uint32_t i = step->first;; i = c->order.next[i]) {
		if ((i < section->first || i > section->last) && may_be_added(&t->events[i]) &&
		    t->events[i].kind != LP_EV_TRYLOCK_FAIL)
			return true;
		if (i == step->last)
			return false;
	}
}

/* The step first..last meets a critical section of its thread that is not inside it. */
static bool widen(struct closure *c, const struct trace *t, const struct segment *step,
		  const struct segment *section, struct closed *to)
{
	struct segment both = { step->first < section->first ? step->first : section->first,
				step->last > section->last ? step->last : section->last };
	const uint32_t *instance = c->order.instance;
	struct repair one = { 0 };
	uint32_t wait = wait_between(c, t, both.first, both.last);
	struct block b;
	bool changed;

	if (instance[both.first] == NONE || instance[both.first] != instance[both.last] ||
	    !locate_covering(c->flows, t, &c->order, &both, &b)) {
		to->impossible = true;
		return false;
	}
	if (needs_lock(c, t, step, section))
		remember_section(c, t, section, &b, to);
	if (wait != NONE) {
		to->wait_site = t->events[wait].site;
		return false;
	}
	repair_add(&one, &b);
	changed = !repair_subsumes(&to->blocks, &one);
	if (changed)
		repair_add(&to->blocks, &b);
	repair_free(&one);
	return changed;
}

/* Where the lock that is taken by event `first` is released, or the last event of the operation. */
static uint32_t section_end(const struct closure *c, const struct trace *t, uint32_t first)
{
	const struct event *lock = &t->events[first];
	uint32_t i = first;

	while (c->order.next[i] != NONE && c->order.instance[c->order.next[i]] == c->order.instance[first]) {
		const struct event *e = &t->events[i = c->order.next[i]];

		if ((e->kind == LP_EV_UNLOCK || e->kind == LP_EV_RDUNLOCK) &&
		    e->location == lock->location)
			break;
		if (trace_pending(t, i))
			return NONE;
	}
	return i;
}

/* The last event of the step that begins with event i. */
static uint32_t step_end(const struct closure *c, const uint32_t *node, uint32_t i)
{
	while (c->order.next[i] != NONE && node[c->order.next[i]] == node[i])
		i = c->order.next[i];
	return i;
}

static bool widen_all(struct closure *c, const struct trace *t, struct closed *to)
{
	const uint32_t *node;
	bool changed = false;

	checker_load(c->checker, t, &c->order);
	node = checker_contract(c->checker, checker_add(c->checker, &to->blocks));
	for (uint32_t a = 0; a < t->nevents; a++) {
		const struct event *lock = &t->events[a];
		struct segment section = { a, NONE };

		if ((lock->kind != LP_EV_LOCK && lock->kind != LP_EV_RDLOCK) ||
		    c->order.instance[a] == NONE)
			continue;
		section.last = section_end(c, t, a);
		for (uint32_t i = a; section.last != NONE && i != NONE && i <= section.last;
		     i = c->order.next[i]) {
			struct segment step = { node[i], step_end(c, node, i) };

			if (step.first <= section.first && section.last <= step.last)
				continue;
			if (inside(c, t->events[i].site, &to->blocks))
				changed |= widen(c, t, &step, &section, to);
		}
	}
	return changed;
}

/* ---- both ---- */

void closure_make(struct closure *c, const struct repair *r, struct closed *to)
{
	bool changed = true;

	memset(to, 0, sizeof *to);
	to->wait_site = NONE;
	repair_copy(&to->blocks, r);
	for (unsigned round = 0; changed && round < MOST_ROUNDS; round++) {
		changed = false;
		for (uint32_t i = 0; i < c->n; i++) {
			order_build(&c->order, &c->traces[i]);
			order_outside(&c->order, &c->traces[i], c->operations);
			changed |= add_conflicts(c, &c->traces[i], to);
			changed |= widen_all(c, &c->traces[i], to);
		}
	}
}
