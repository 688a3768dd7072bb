/* SPDX-License-Identifier: MIT
 *
 * Brute force for real-time orders and linearizability of small traces, and random traces to try it
 * on. Include cmocka.h first.
 */
#ifndef ARRANGE_BRUTE_H
#define ARRANGE_BRUTE_H

#include "repair_traces.h"

#define MAX_OPS    5
#define MAX_EVENTS 32
#define LIMIT      3000 /* linear extensions that are listed; traces with more are skipped */

enum { ADD, REMOVE, CONTAINS };

static char *names[] = { "add", "remove", "contains" };

/* A set of relations; bit 5 * a + b: operation a returned before b was called. */
struct relations {
	uint32_t list[100000], n;
};

static void add_relation(struct relations *r, uint32_t relation)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->list[i] == relation)
			return;
	assert_true(r->n < 100000);
	r->list[r->n++] = relation;
}

static bool has_relation(const struct relations *r, uint32_t relation)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->list[i] == relation)
			return true;
	return false;
}

/* ---- brute force ---- */

struct brute {
	const struct trace *t;
	uint32_t before[MAX_EVENTS]; /* events that must come first */
	uint32_t order[MAX_EVENTS];
	uint64_t extensions;
	struct relations *found;
};

static bool ordered_by_class(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct event *x = &t->events[a], *y = &t->events[b];

	if (x->thread == y->thread || events_conflict(x, y))
		return true;
	return (x->kind == LP_EV_CREATE && x->other == y->thread) ||
	       (y->kind == LP_EV_JOIN && y->other == x->thread);
}

static bool must_precede(const struct trace *t, uint32_t a, uint32_t b)
{
	return ordered_by_class(t, a, b) || b == trace_final(t);
}

static uint32_t relation_of(const struct trace *t, const uint32_t *order, uint32_t n)
{
	uint32_t at[MAX_EVENTS], relation = 0;

	for (uint32_t i = 0; i < n; i++)
		at[order[i]] = i;
	for (uint32_t a = 0; a < t->nops; a++)
		for (uint32_t b = 0; b < t->nops; b++)
			if (a != b && t->ops[a].ret_event != NONE &&
			    at[t->ops[a].ret_event] < at[t->ops[b].call])
				relation |= 1u << (MAX_OPS * a + b);
	return relation;
}

static void extend(struct brute *b, uint32_t done, uint32_t n)
{
	if (b->extensions > LIMIT)
		return;
	if (n == b->t->nevents) {
		b->extensions++;
		add_relation(b->found, relation_of(b->t, b->order, n));
		return;
	}
	for (uint32_t i = 0; i < b->t->nevents; i++)
		if (!(done >> i & 1) && !(b->before[i] & ~done)) {
			b->order[n] = i;
			extend(b, done | 1u << i, n + 1);
		}
}

/* All relations of the class; false if there are too many extensions to list. */
static bool all_relations(const struct trace *t, struct relations *found)
{
	struct brute b = { .t = t, .found = found };

	found->n = 0;
	for (uint32_t i = 0; i < t->nevents; i++)
		for (uint32_t j = 0; j < i; j++)
			if (must_precede(t, j, i))
				b.before[i] |= 1u << j;
	extend(&b, 0, 0);
	return b.extensions <= LIMIT;
}

/* Is there a legal order of the operations, pending ones optional? sets[object] holds a bit for
 * each key. */
static bool legal(const struct trace *t, uint32_t relation, uint32_t done, const uint32_t *sets)
{
	bool all = true;

	for (uint32_t k = 0; k < t->nops; k++) {
		const struct operation *op = &t->ops[k];
		uint32_t next[2] = { sets[0], sets[1] }, bit = 1u << op->args[0];
		bool ready = true, present = sets[op->object] & bit, result;

		if (done >> k & 1)
			continue;
		all &= op->ret_event == NONE;
		for (uint32_t j = 0; j < t->nops; j++)
			ready &= done >> j & 1 || !(relation >> (MAX_OPS * j + k) & 1);
		result = op->name == ADD ? !present : present;
		if (!ready || (op->ret_event != NONE && result != (op->ret != 0)))
			continue;
		if (op->name == ADD)
			next[op->object] |= bit;
		if (op->name == REMOVE)
			next[op->object] &= ~bit;
		if (legal(t, relation, done | 1u << k, next))
			return true;
	}
	return all;
}

static bool naive_linearizable(const struct trace *t, uint32_t relation)
{
	const uint32_t empty[2] = { 0, 0 };

	return legal(t, relation, 0, empty);
}

/* ---- random traces ---- */

/* The result of the operation if it takes effect now; sets[] is what the operations did so far. */
static bool take_effect(const struct operation *op, uint32_t *sets)
{
	uint32_t bit = 1u << op->args[0];
	bool present = sets[op->object] & bit;

	if (op->name == ADD)
		sets[op->object] |= bit;
	if (op->name == REMOVE)
		sets[op->object] &= ~bit;
	return op->name == ADD ? !present : present;
}

/* One step of a thread. Most results are those of operations that take effect when they return. */
static void random_step(struct maker *m, uint64_t *seed, uint32_t thread, uint32_t variables,
			uint32_t *sets)
{
	static const uint8_t kinds[] = { LP_EV_READ, LP_EV_READ, LP_EV_WRITE, LP_EV_LOCK };
	uint32_t what = random_below(seed, 8), op;

	if (m->running[thread] == NONE) {
		if (m->t.nops == MAX_OPS)
			return;
		op = make_call(m, thread, random_below(seed, 3), 1, random_below(seed, 2));
		m->t.ops[op].object = random_below(seed, 4) == 0;
	} else if (what < 3) {
		bool result = take_effect(&m->t.ops[m->running[thread]], sets);

		make_return(m, thread, 1, random_below(seed, 8) ? result : !result);
	} else if (what < 6) {
		make_access(m, thread, kinds[random_below(seed, 4)], 0,
			    random_below(seed, variables), 0, 4);
	}
}

static void random_history_trace(struct maker *m, uint64_t *seed, bool tree)
{
	uint32_t threads = 2 + random_below(seed, 2), variables = 1 + random_below(seed, 4),
		 created = 1;
	uint32_t sets[2] = { 0, 0 };

	maker_init(m);
	for (uint32_t k = 0; k < 60 && m->t.nevents < 14; k++) {
		uint32_t thread = random_below(seed, threads), i;

		if (tree && thread >= created) {
			i = make_event(m, 0, LP_EV_CREATE, 0);
			m->t.events[i].other = created++;
		} else if (tree && k > 30 && created > 1 && !thread) {
			created--;
			i = make_event(m, 0, LP_EV_JOIN, 0);
			m->t.events[i].other = created;
			threads = created;
		} else {
			random_step(m, seed, thread, variables, sets);
		}
	}
	m->t.nthreads = 3;
	/* Some end with what the last thread does. */
	if (m->t.nevents && random_below(seed, 3) == 0)
		m->t.outcome = (struct outcome){ .kind = LP_OUT_ABORT,
						 .thread = m->t.events[m->t.nevents - 1].thread };
}

#endif
