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
#include "repair/outside.h"

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

const struct trace *closure_trace(const struct closure *c, uint32_t i)
{
	return i < c->n ? &c->traces[i] : NULL;
}

void closed_free(struct closed *c)
{
	repair_free(&c->blocks);
	free(c->sections);
	memset(c, 0, sizeof *c);
}

/* ---- conflicting lines ---- */

/* The line of an event as a block: of the program, where a header of the system was called. */
static bool line_of(const struct closure *c, uint32_t site, struct block *b)
{
	const struct source_frame *f;
	uint32_t own = flows_own(c->flows, site);
	bool found = false;

	for (uint32_t d = 0; d < own && (f = flows_frame(c->flows, site, d)) != NULL; d++)
		if (f->file && f->function && f->line) {
			*b = (struct block){ f->file, f->function, f->line, frame_last_line(f) };
			found = true;
		}
	return found;
}

struct adding {
	const struct closure *c;
	struct closed *to;
	bool changed;
};

static void add_line(void *data, const struct event *e)
{
	struct adding *adding = data;
	struct closed *to = adding->to;
	struct block b;

	if (flows_inside(adding->c->flows, e->site, &to->blocks) ||
	    !line_of(adding->c, e->site, &b))
		return;
	repair_add(&to->blocks, &b);
	adding->changed = true;
}

static bool add_conflicts(struct closure *c, const struct trace *t, struct closed *to)
{
	struct adding adding = { .c = c, .to = to };

	outside_conflicts(c->flows, t, &to->blocks, add_line, &adding);
	return adding.changed;
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
		if ((i < section->first || i > section->last) && outside_counts(&t->events[i]) &&
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
			if (flows_inside(c->flows, t->events[i].site, &to->blocks))
				changed |= widen(c, t, &step, &section, to);
		}
	}
	return changed;
}

/* ---- both ---- */

static void make(struct closure *c, const struct repair *r, bool lines, struct closed *to)
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
			if (lines)
				changed |= add_conflicts(c, &c->traces[i], to);
			changed |= widen_all(c, &c->traces[i], to);
		}
	}
}

void closure_make(struct closure *c, const struct repair *r, struct closed *to)
{
	make(c, r, true, to);
}

void closure_make_sections(struct closure *c, const struct repair *r, struct closed *to)
{
	make(c, r, false, to);
}
