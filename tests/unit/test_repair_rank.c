/* SPDX-License-Identifier: MIT
 *
 * Ranking, on the array stack of Afek et al.: all executions of push(1) | push(2); pop | pop are
 * simulated and judged here; and combining the repairs of several traces.
 *
 * Two versions of pop: one writes null into every cell that it reads, the other only into one that
 * is not null. In the first, the null writes of two pops to an empty cell conflict though nothing
 * comes of it, so atomicity of read and write also excludes traces that are linearizable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "repair/eliminator.h"
#include "base/numbering.h"
#include "repair/rank.h"
#include "repair_lines.h"
#include "repair_stack.h"
#include "repair_traces.h"

static struct ranking *new_ranking(void)
{
	static struct fake_source source = { stack_sites, stack_text };
	struct source_map map = fake_map(&source);

	return ranking_new(&map, NULL);
}

static uint32_t add_all(struct ranking *r, const struct classes *all, bool valid)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		if (all->list[i].valid != valid)
			continue;
		n++;
		if (valid) {
			ranking_add_valid(r, &all->list[i].t);
		} else {
			ranking_add_violation(r, &all->list[i].t);
			assert_true(ranking_last_count(r) > 0);
		}
	}
	return n;
}

static uint32_t segment_sets(const struct trace *t)
{
	struct eliminators e = { 0 };
	struct order o = { 0 };
	uint32_t n;

	order_build(&o, t);
	eliminators_find(t, &o, 0, 0, &e);
	n = e.nsets;
	eliminators_free(&e);
	order_free(&o);
	return n;
}

/* A trace in which both pops return 1 and push matters too. */
static const struct class *duplicate_pop(const struct classes *all, uint32_t sets)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const struct class *c = &all->list[i];

		if (c->popped[0] && c->popped[0] == c->popped[1] && segment_sets(&c->t) == sets)
			return c;
	}
	fail();
	return NULL;
}

/* The repairs of one trace, ranked against all linearizable ones: the two optimal ones, pop
 * first. */
static void expect_two_repairs(const struct classes *all, uint32_t sets, uint64_t pop,
			       uint64_t push)
{
	const struct class *c = duplicate_pop(all, sets);
	struct ranking *r = new_ranking();
	const struct ranking_result *result;

	ranking_add_violation(r, &c->t);
	assert_int_equal(ranking_last_count(r), 2);
	ranking_combine(r);
	add_all(r, all, true);
	result = ranking_finish(r);
	assert_int_equal(result->nrepairs, 2);
	assert_true(is_block(&result->repairs[0].repair, "pop", 10, 11));
	assert_int_equal(result->repairs[0].disabled, pop);
	assert_int_equal(result->repairs[0].rank, 1);
	assert_true(is_block(&result->repairs[1].repair, "push", 3, 4));
	assert_int_equal(result->repairs[1].disabled, push);
	assert_int_equal(result->repairs[1].rank, 2);
	assert_int_equal(result->violations, 1);
	assert_true(result->average_events == c->t.nevents && result->average_conflicts > 3);
	ranking_free(r);
}

/* Three sets of segments are minimal, but two sets of lines: minimality is decided after mapping.
 * The numbers were counted by an independent program too. */
static void test_array_stack_two_optimal_repairs(void **state)
{
	struct classes all = explore_stack(true);

	(void)state;
	assert_int_equal(all.n, 62 + 93);
	expect_two_repairs(&all, 3, 60, 81);
	free_classes(&all);
	all = explore_stack(false);
	assert_int_equal(all.n, 12 + 31);
	expect_two_repairs(&all, 2, 0, 19);
	free_classes(&all);
}

/* Over all violating traces the atomic read and write of pop remains, alone. */
static void test_array_stack_all_traces(void **state)
{
	(void)state;
	for (int clear_all = 0; clear_all < 2; clear_all++) {
		struct classes all = explore_stack(clear_all);
		struct ranking *r = new_ranking();
		const struct ranking_result *result;
		uint32_t violations = add_all(r, &all, false);

		ranking_combine(r);
		add_all(r, &all, true);
		result = ranking_finish(r);
		assert_int_equal(violations, clear_all ? 62 : 12);
		assert_int_equal(result->nrepairs, 1);
		assert_true(is_block(&result->repairs[0].repair, "pop", 10, 11));
		assert_int_equal(result->repairs[0].disabled, clear_all ? 60 : 0);
		assert_int_equal(result->without_repair + result->unmapped + result->truncated +
					 result->pruned,
				 0);
		assert_true(result->distinct < violations);
		ranking_free(r);
		free_classes(&all);
	}
}

/* ---- several traces with choices ---- */

static void add_wrong(struct ranking *r, struct maker *m)
{
	ranking_add_violation(r, &m->t);
	maker_free(m);
}

/* Of one trace that is wrong. */
static struct ranking *ranking_of(struct maker *m, const struct ranking_options *options)
{
	struct ranking *r = line_ranking(options);

	add_wrong(r, m);
	return r;
}

static const struct ranking_result *finish(struct ranking *r)
{
	ranking_combine(r);
	return ranking_finish(r);
}

/* Lost updates between threads 0 and 1 on variables of their own, each by the sites given: [read,
 * write]. */
static void make_updates(struct maker *m, const uint32_t (*pairs)[2], uint32_t n)
{
	maker_init(m);
	make_call(m, 0, 0, 0, 0);
	for (uint32_t i = 0; i < n; i++) {
		make_read(m, 0, i, pairs[i][0]);
		make_write(m, 1, i, 399);
		make_write(m, 0, i, pairs[i][1]);
	}
	make_return(m, 0, 0, 0);
}

static void add_updates(struct ranking *r, const uint32_t (*pairs)[2], uint32_t n)
{
	struct maker m;

	make_updates(&m, pairs, n);
	add_wrong(r, &m);
}

/* {a or b}, {b or c}: b alone, or a and c; a and b subsumes b. */
static void test_choices_are_combined_and_pruned(void **state)
{
	const uint32_t first[][2] = { { 2, 3 }, { 5, 6 } }, second[][2] = { { 5, 6 }, { 8, 9 } };
	struct ranking *r = line_ranking(NULL);
	const struct ranking_result *result;
	struct maker m;

	(void)state;
	for (int pass = 0; pass < 3; pass++) { /* identical sets become one */
		add_updates(r, first, 2);
		assert_int_equal(ranking_last_count(r), 2);
		add_updates(r, second, 2);
	}
	ranking_combine(r);
	make_updates(&m, second + 1, 1);
	ranking_add_valid(r, &m.t);
	maker_free(&m);
	result = ranking_finish(r);
	assert_int_equal(result->distinct, 2);
	assert_int_equal(result->nrepairs, 2);
	assert_true(is_block(&result->repairs[0].repair, "f0", 6, 7));
	assert_int_equal(result->repairs[1].repair.nblocks, 2);
	assert_true(has_block(&result->repairs[1].repair, "f0", 3, 4));
	assert_true(has_block(&result->repairs[1].repair, "f0", 9, 10));
	assert_int_equal(result->repairs[0].disabled, 0);
	assert_int_equal(result->repairs[1].disabled, 1);
	ranking_free(r);
}

/* Blocks of different traces that overlap merge; what then subsumes another repair goes. */
static void test_overlapping_blocks_of_two_traces_merge(void **state)
{
	const uint32_t first[][2] = { { 2, 4 } }, second[][2] = { { 3, 6 } };
	struct ranking *r = line_ranking(NULL);
	const struct ranking_result *result;

	(void)state;
	add_updates(r, first, 1);
	add_updates(r, second, 1);
	result = finish(r);
	assert_int_equal(result->nrepairs, 1);
	assert_true(is_block(&result->repairs[0].repair, "f0", 3, 7));
	ranking_free(r);
}

static void test_ties_are_ties(void **state)
{
	const uint32_t pairs[][2] = { { 2, 3 }, { 50, 52 }, { 90, 91 } };
	struct ranking *r = line_ranking(NULL);
	const struct ranking_result *result;
	struct maker m;

	(void)state;
	add_updates(r, pairs, 3);
	ranking_combine(r);
	make_updates(&m, pairs, 1);
	ranking_add_valid(r, &m.t);
	result = ranking_finish(r);
	maker_free(&m);
	assert_int_equal(result->nrepairs, 3);
	assert_int_equal(result->repairs[0].rank, 1);
	assert_int_equal(result->repairs[1].rank, 1);
	assert_int_equal(result->repairs[2].rank, 3);
	assert_int_equal(result->repairs[2].disabled, 1);
	ranking_free(r);
}

/* 3^5 combinations of which 10 may stay. */
static void test_bound_on_combinations_is_counted(void **state)
{
	const struct ranking_options options = { .keep = 10 };
	struct ranking *r = line_ranking(&options);
	const struct ranking_result *result;

	(void)state;
	for (uint32_t k = 0; k < 5; k++) {
		const uint32_t a = 40 * k;
		const uint32_t pairs[][2] = { { a, a + 1 }, { a + 3, a + 5 }, { a + 7, a + 10 } };

		add_updates(r, pairs, 3);
	}
	result = finish(r);
	assert_int_equal(result->nrepairs, 10);
	assert_true(result->pruned > 0);
	assert_int_equal(repair_lines(&result->repairs[0].repair), 10);
	assert_int_equal(result->repairs[0].repair.nblocks, 5);
	ranking_free(r);
}

static void test_traces_without_repair_are_counted(void **state)
{
	struct ranking *r;
	const struct ranking_result *result;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_read(&m, 0, 1, 3);
	make_return(&m, 0, 0, 0);
	r = ranking_of(&m, NULL);
	result = finish(r);
	assert_int_equal(result->without_repair, 1);
	assert_int_equal(result->nrepairs, 0);
	ranking_free(r);
}

/* A lost update between threads that have marked no operation: what each does is one. */
static void test_outside_of_operations(void **state)
{
	struct ranking *r;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_read(&m, 0, 1, 2);
	make_write(&m, 1, 1, 80);
	make_write(&m, 0, 1, 4);
	r = ranking_of(&m, NULL);
	assert_int_equal(ranking_last_count(r), 1);
	assert_true(is_block(ranking_last(r, 0), "f0", 3, 5));
	assert_false(ranking_last_serial(r));
	ranking_free(r);
}

/* The second half of what an operation began lies behind it, as in a destructor: a block in the
 * operation would not do, and none spans both. But blocks of two operations are never glued. */
static void test_blocks_do_not_span_operations(void **state)
{
	for (int no_operations = 0; no_operations < 2; no_operations++) {
		const struct ranking_options options = { .no_operations = no_operations };
		struct ranking *r;
		struct maker m;

		(void)state;
		maker_init(&m);
		make_call(&m, 0, 0, 0, 0);
		make_read(&m, 0, 1, 2);
		make_return(&m, 0, 0, 0);
		make_write(&m, 1, 1, 80);
		make_write(&m, 0, 1, 4);
		r = ranking_of(&m, &options);
		assert_int_equal(ranking_last_count(r), no_operations);
		assert_int_equal(ranking_last_serial(r), !no_operations);
		ranking_free(r);
	}
}

/* One thread after the other: nothing that is atomic changes that. */
static void test_serial(void **state)
{
	struct ranking *r;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_write(&m, 0, 1, 2);
	make_write(&m, 0, 1, 3);
	make_write(&m, 1, 1, 80);
	r = ranking_of(&m, NULL);
	assert_int_equal(ranking_last_count(r), 0);
	assert_true(ranking_last_serial(r));
	ranking_free(r);
}

/* An eliminator whose block contains a wait on a condition is none: nobody could wake the thread. */
static void test_wait_inside_a_block(void **state)
{
	struct ranking *r;
	const struct ranking_result *result;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_read(&m, 0, 1, 2);
	make_access(&m, 0, LP_EV_WAIT, 3, 60, 0, 1);
	make_write(&m, 1, 1, 80);
	make_access(&m, 1, LP_EV_SIGNAL, 81, 60, 0, 1);
	make_access(&m, 0, LP_EV_WAKE, 3, 60, 0, 1);
	make_read(&m, 0, 1, 5);
	r = ranking_of(&m, NULL);
	assert_int_equal(ranking_last_count(r), 0);
	assert_false(ranking_last_serial(r));
	result = finish(r);
	assert_int_equal(result->waits_inside, 1);
	assert_int_equal(result->wait_site, 3);
	ranking_free(r);
}

/* A thread that waits at the end for a lock, in a block with what came before, would not have begun. */
static void test_wait_at_the_end(void **state)
{
	struct ranking *r;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_read(&m, 0, 1, 2);
	make_write(&m, 1, 1, 80);
	make_access(&m, 1, LP_EV_LOCK, 81, 60, 0, 1);
	make_access(&m, 0, LP_EV_LOCK, 5, 60, 0, 1);
	m.t.nadded = m.t.npending = 1;
	r = ranking_of(&m, NULL);
	assert_int_equal(ranking_last_count(r), 1);
	assert_true(is_block(ranking_last(r, 0), "f0", 3, 6));
	ranking_free(r);
}

/* What a second exploration found is united with what is known. */
static void test_repairs_of_another_ranking(void **state)
{
	const uint32_t first[][2] = { { 2, 3 } }, second[][2] = { { 8, 9 } };
	struct ranking *r = line_ranking(NULL), *other = line_ranking(NULL);
	const struct ranking_result *result;

	(void)state;
	add_updates(r, first, 1);
	result = finish(r);
	assert_true(is_block(&result->repairs[0].repair, "f0", 3, 4));
	add_updates(other, second, 1);
	ranking_adopt(r, other);
	result = finish(r);
	assert_int_equal(result->nrepairs, 1);
	assert_int_equal(result->repairs[0].repair.nblocks, 2);
	assert_true(has_block(&result->repairs[0].repair, "f0", 9, 10));
	ranking_free(r);
	ranking_free(other);
}

/* Of repairs that exclude equally many, fewer blocks come first, even with more lines. */
static void test_fewest_blocks_first(void **state)
{
	struct ranking *r = line_ranking(NULL);
	const struct block two[] = { block_of("f0", 2, 2), block_of("f1", 41, 41) };
	const struct block one = block_of("f2", 81, 90);
	const struct repair choice[] = { { (struct block *)two, 2 }, { (struct block *)&one, 1 } };
	const struct ranking_result *result;

	(void)state;
	ranking_add_choice(r, choice, 2);
	result = finish(r);
	assert_int_equal(result->nrepairs, 2);
	assert_int_equal(result->repairs[0].repair.nblocks, 1);
	assert_int_equal(result->repairs[1].rank, 1);
	ranking_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outside_of_operations),
		cmocka_unit_test(test_blocks_do_not_span_operations),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_wait_inside_a_block),
		cmocka_unit_test(test_wait_at_the_end),
		cmocka_unit_test(test_repairs_of_another_ranking),
		cmocka_unit_test(test_fewest_blocks_first),
		cmocka_unit_test(test_array_stack_two_optimal_repairs),
		cmocka_unit_test(test_array_stack_all_traces),
		cmocka_unit_test(test_choices_are_combined_and_pruned),
		cmocka_unit_test(test_overlapping_blocks_of_two_traces_merge),
		cmocka_unit_test(test_ties_are_ties),
		cmocka_unit_test(test_bound_on_combinations_is_counted),
		cmocka_unit_test(test_traces_without_repair_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
