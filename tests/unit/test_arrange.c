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

#include "judge/arrange.h"
#include "judge/class.h"
#include "arrange_brute.h"
#include "repair_traces.h"

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

static void expect_schedule_shows_it(struct lin_class *c, const struct trace *t,
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
	lin_class_history(c, false, t, schedule, &h);
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
			if (!events_conflict(&t->events[j], &t->events[i]) &&
			    ordered_by_class(t, j, i))
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
 * reported. */
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
