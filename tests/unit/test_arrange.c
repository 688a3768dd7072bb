/* SPDX-License-Identifier: MIT
 *
 * Real-time orders of a class and its linearizability, against brute force: all linear extensions
 * of program order and conflicts of small random traces, each judged by trying all permutations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "arrange.h"
#include "lin_class.h"
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

static bool must_precede(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct event *x = &t->events[a], *y = &t->events[b];

	if (x->thread == y->thread || events_conflict(x, y))
		return true;
	return (x->kind == LP_EV_CREATE && x->other == y->thread) ||
	       (y->kind == LP_EV_JOIN && y->other == x->thread);
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
}

/* ---- the enumeration ---- */

struct collected {
	const struct trace *t;
	const struct arrange *a;
	struct relations *found;
	bool repeated;
};

static uint32_t relation_of_times(const struct collected *c, const uint64_t *call,
				  const uint64_t *ret)
{
	uint32_t relation = 0;

	for (uint32_t a = 0; a < c->t->nops; a++)
		for (uint32_t b = 0; b < c->t->nops; b++)
			if (a != b && ret[c->a->position[a]] < call[c->a->position[b]])
				relation |= 1u << (MAX_OPS * a + b);
	return relation;
}

static enum visit collect(void *data, const uint64_t *call, const uint64_t *ret, bool whole)
{
	struct collected *c = data;
	uint32_t relation = relation_of_times(c, call, ret);

	if (whole) {
		c->repeated |= has_relation(c->found, relation);
		add_relation(c->found, relation);
	}
	return VISIT_ON;
}

static struct relations everything, visited;

/* Exactly the maximal relations, each once. */
static void test_tightest_are_the_maximal_relations(void **state)
{
	uint64_t seed = 5;
	uint32_t several = 0;

	(void)state;
	for (int k = 0; k < 1200; k++) {
		struct arrange a = { 0 };
		struct order o = { 0 };
		struct collected c = { .a = &a, .found = &visited };
		struct maker m;
		uint32_t maximal = 0;

		random_history_trace(&m, &seed, k % 3 == 0);
		c.t = &m.t;
		visited.n = 0;
		if (all_relations(&m.t, &everything)) {
			order_build(&o, &m.t);
			arrange_calls(&a, &m.t, &o);
			assert_true(arrange_tightest(&a, 1000000, collect, &c));
			assert_false(c.repeated);
			for (uint32_t i = 0; i < everything.n; i++) {
				bool top = true;

				for (uint32_t j = 0; j < everything.n; j++)
					top &= j == i || (everything.list[i] & ~everything.list[j]);
				maximal += top;
				if (top)
					assert_true(has_relation(&visited, everything.list[i]));
			}
			assert_int_equal(visited.n, maximal);
			several += maximal > 1;
		}
		arrange_free(&a);
		order_free(&o);
		maker_free(&m);
	}
	assert_true(several > 150);
}

/* ---- verdicts ---- */

static struct run test_run = { .strings = names, .nstrings = 3 };

static struct lin_class *new_class(bool outcome, uint64_t max)
{
	const struct lin_class_options options = { .lin = { .specification = "set" },
						   .outcome = outcome,
						   .max_arrangements = max };

	return lin_class_new(&test_run, &options);
}

static void expect_schedule_shows_it(const struct lin_class *c, const struct trace *t,
				     const uint32_t *schedule)
{
	uint32_t at[MAX_EVENTS], relation;
	struct history h;

	memset(at, 0xff, sizeof at);
	for (uint32_t i = 0; i < t->nevents; i++)
		at[schedule[i]] = i;
	for (uint32_t i = 0; i < t->nevents; i++) {
		assert_true(at[i] != NONE);
		for (uint32_t j = 0; j < i; j++)
			if (must_precede(t, j, i))
				assert_true(at[j] < at[i]);
	}
	relation = relation_of(t, schedule, t->nevents);
	assert_false(naive_linearizable(t, relation));
	lin_class_history(c, t, schedule, &h);
	assert_int_equal(h.nops, t->nops);
	for (uint32_t a = 0; a < t->nops; a++)
		for (uint32_t b = 0; b < t->nops; b++)
			if (a != b)
				assert_int_equal(h.ops[a].ret < h.ops[b].call,
						 relation >> (MAX_OPS * a + b) & 1);
	history_free(&h);
}

static void test_verdicts_against_brute_force(void **state)
{
	struct lin_class *c = new_class(false, 0);
	uint64_t seed = 77;
	uint32_t bad = 0, good = 0, hidden = 0;

	(void)state;
	for (int k = 0; k < 2500; k++) {
		struct lin_class_result result;
		struct maker m;
		bool expected = true, recorded;
		uint32_t order[MAX_EVENTS];

		random_history_trace(&m, &seed, k % 3 == 0);
		if (all_relations(&m.t, &everything)) {
			for (uint32_t i = 0; i < everything.n && expected; i++)
				expected = naive_linearizable(&m.t, everything.list[i]);
			for (uint32_t i = 0; i < m.t.nevents; i++)
				order[i] = i;
			recorded = naive_linearizable(&m.t, relation_of(&m.t, order, m.t.nevents));
			assert_int_equal(lin_class_check(c, &m.t, &result, NULL), 0);
			assert_int_equal(result.verdict, expected ? LIN_OK : LIN_VIOLATION);
			if (!expected)
				expect_schedule_shows_it(c, &m.t, result.schedule);
			else
				assert_null(result.schedule);
			bad += !expected;
			good += expected;
			hidden += recorded && !expected;
		}
		maker_free(&m);
	}
	assert_true(bad > 300 && good > 300 && hidden > 20);
	lin_class_free(c);
}

/* Only the order within threads, and that of creation and join, counts. */
static uint32_t outcome_relation(const struct trace *t)
{
	uint32_t before[MAX_EVENTS] = { 0 }, relation = 0;

	for (uint32_t i = 0; i < t->nevents; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!events_conflict(&t->events[j], &t->events[i]) && must_precede(t, j, i))
				before[i] |= before[j] | 1u << j;
	for (uint32_t a = 0; a < t->nops; a++)
		for (uint32_t b = 0; b < t->nops; b++)
			if (t->ops[a].ret_event != NONE &&
			    before[t->ops[b].call] >> t->ops[a].ret_event & 1)
				relation |= 1u << (MAX_OPS * a + b);
	return relation;
}

static void test_outcomes_against_brute_force(void **state)
{
	struct lin_class *c = new_class(true, 0);
	uint64_t seed = 31;
	uint32_t bad = 0, good = 0;

	(void)state;
	for (int k = 0; k < 1200; k++) {
		struct lin_class_result result;
		struct maker m;
		bool expected;

		random_history_trace(&m, &seed, k % 3 == 0);
		expected = naive_linearizable(&m.t, outcome_relation(&m.t));
		assert_int_equal(lin_class_check(c, &m.t, &result, NULL), 0);
		assert_int_equal(result.verdict, expected ? LIN_OK : LIN_VIOLATION);
		assert_int_equal(result.schedule != NULL, !expected);
		bad += !expected;
		good += expected;
		maker_free(&m);
	}
	assert_true(bad > 100 && good > 100);
	lin_class_free(c);
}

/* A completed add, then a contains that reads unrelated memory and says no: as recorded they
 * overlap. */
static void test_trap_equivalent_but_not_linearizable(void **state)
{
	struct lin_class *real_time = new_class(false, 0), *outcome = new_class(true, 0);
	struct lin_class_result result;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, ADD, 1, 1);
	make_call(&m, 1, CONTAINS, 1, 1);
	make_read(&m, 1, 7, 0);
	make_write(&m, 0, 8, 0);
	make_return(&m, 0, 1, 1);
	make_return(&m, 1, 1, 0);
	assert_int_equal(lin_class_check(real_time, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_VIOLATION);
	expect_schedule_shows_it(real_time, &m.t, result.schedule);
	assert_int_equal(lin_class_check(outcome, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_OK);
	m.t.events[3].region = 7; /* contains read before add wrote: they overlap in every member */
	assert_int_equal(lin_class_check(real_time, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_OK);
	maker_free(&m);
	lin_class_free(real_time);
	lin_class_free(outcome);
}

/* Three threads of four independent operations each: 34,650 arrangements. Reaching the bound is
 * said. */
static void test_bound_is_reported(void **state)
{
	struct lin_class *c = new_class(false, 1000);
	struct lin_class_result result;
	struct maker m;

	(void)state;
	maker_init(&m);
	for (uint32_t k = 0; k < 4; k++)
		for (uint32_t u = 0; u < 3; u++) {
			make_call(&m, u, CONTAINS, 1, 0);
			make_return(&m, u, 1, 0);
		}
	assert_int_equal(lin_class_check(c, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_UNKNOWN);
	assert_true(result.limited);
	assert_int_equal(result.arrangements, 1000);
	maker_free(&m);
	lin_class_free(c);
}

static void test_refusals_are_errors(void **state)
{
	static char *wrong[] = { "frobnicate", "add" };
	struct run run = { .strings = wrong, .nstrings = 2 };
	const struct lin_class_options options = { .lin = { .specification = "set" } };
	struct lin_class *c = lin_class_new(&run, &options);
	struct lin_class_result result;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 1, 0);
	make_return(&m, 0, 1, 0);
	for (int pass = 0; pass < 2; pass++) {
		struct error e = { "" };

		assert_int_equal(lin_class_check(c, &m.t, &result, &e), -1);
		assert_non_null(strstr(e.message, "frobnicate"));
	}
	maker_free(&m);
	lin_class_free(c);
}

/* An operation inside another one: the inner returns first. */
static void test_nested_operations(void **state)
{
	struct lin_class *c = new_class(false, 0), *outcome = new_class(true, 0);
	struct lin_class_result result;
	struct maker m;
	uint32_t outer;

	(void)state;
	maker_init(&m);
	outer = make_call(&m, 0, ADD, 1, 0);
	m.t.ops[outer].object = 1;
	make_call(&m, 0, ADD, 1, 0);
	make_return(&m, 0, 1, 1);
	m.running[0] = outer;
	make_return(&m, 0, 1, 1);
	make_call(&m, 1, CONTAINS, 1, 0);
	make_return(&m, 1, 1, 1);
	assert_int_equal(lin_class_check(c, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_VIOLATION); /* contains may come first */
	expect_schedule_shows_it(c, &m.t, result.schedule);
	assert_int_equal(lin_class_check(outcome, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_OK);
	maker_free(&m);
	lin_class_free(c);
	lin_class_free(outcome);
}

static void test_no_operations(void **state)
{
	struct lin_class *c = new_class(false, 0);
	struct lin_class_result result;
	struct maker m;

	(void)state;
	maker_init(&m);
	assert_int_equal(lin_class_check(c, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_OK);
	make_write(&m, 0, 1, 0);
	assert_int_equal(lin_class_check(c, &m.t, &result, NULL), 0);
	assert_int_equal(result.verdict, LIN_OK);
	maker_free(&m);
	lin_class_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tightest_are_the_maximal_relations),
		cmocka_unit_test(test_verdicts_against_brute_force),
		cmocka_unit_test(test_outcomes_against_brute_force),
		cmocka_unit_test(test_trap_equivalent_but_not_linearizable),
		cmocka_unit_test(test_bound_is_reported),
		cmocka_unit_test(test_refusals_are_errors),
		cmocka_unit_test(test_nested_operations),
		cmocka_unit_test(test_no_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
