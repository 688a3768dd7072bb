/* SPDX-License-Identifier: MIT
 *
 * Which conflicts the ranking uses: those of memory accesses, unless they are not enough.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "repair/eliminator.h"
#include "repair_lines.h"
#include "repair_traces.h"

static void make_lock(struct maker *m, unsigned thread, unsigned kind, uint32_t site)
{
	make_access(m, thread, kind, site, 90, 0, 8);
}

/* An operation reads variable 1 under the lock at site 2 and writes it under the lock at site 6; in
 * between it gives the lock away, at sites 3 and 4, and thread 1 writes a variable under it. */
static void make_walk(struct maker *m, uint32_t variable)
{
	maker_init(m);
	make_call(m, 0, 0, 0, 0);
	make_lock(m, 0, LP_EV_LOCK, 1);
	make_read(m, 0, 1, 2);
	make_lock(m, 0, LP_EV_UNLOCK, 3);
	make_lock(m, 1, LP_EV_LOCK, 399);
	make_write(m, 1, variable, 399);
	make_lock(m, 1, LP_EV_UNLOCK, 399);
	make_lock(m, 0, LP_EV_LOCK, 4);
	make_write(m, 0, 1, 6);
	make_lock(m, 0, LP_EV_UNLOCK, 8);
	make_return(m, 0, 0, 0);
}

/* Removing and adding: thread 0 reads variable 1, and thread 1, under the lock, reads variable 2
 * and writes variable 1 before thread 0 writes variable 2 under the lock. */
static void make_lost_insertion(struct maker *m)
{
	maker_init(m);
	make_call(m, 0, 0, 0, 0);
	make_read(m, 0, 1, 2);
	make_call(m, 1, 0, 0, 0);
	make_lock(m, 1, LP_EV_LOCK, 82);
	make_read(m, 1, 2, 84);
	make_write(m, 1, 1, 85);
	make_lock(m, 1, LP_EV_UNLOCK, 86);
	make_return(m, 1, 0, 0);
	make_lock(m, 0, LP_EV_LOCK, 4);
	make_write(m, 0, 2, 6);
	make_lock(m, 0, LP_EV_UNLOCK, 8);
	make_return(m, 0, 0, 0);
}

/* An operation locks and unlocks twice (sites 42 to 45), thread 1 once in between; nothing else
 * conflicts. */
static void make_turns(struct maker *m)
{
	maker_init(m);
	make_call(m, 0, 0, 0, 0);
	make_lock(m, 0, LP_EV_LOCK, 42);
	make_lock(m, 0, LP_EV_UNLOCK, 43);
	make_lock(m, 1, LP_EV_LOCK, 399);
	make_lock(m, 1, LP_EV_UNLOCK, 399);
	make_lock(m, 0, LP_EV_LOCK, 44);
	make_lock(m, 0, LP_EV_UNLOCK, 45);
	make_return(m, 0, 0, 0);
}

static void add_made(struct ranking *r, struct maker *m, bool valid)
{
	if (valid)
		ranking_add_valid(r, &m->t);
	else
		ranking_add_violation(r, &m->t);
	maker_free(m);
}

/* What eliminators are made of, over the conflicts of *o, which is freed. */
static void find_sets(const struct trace *t, struct order *o, struct eliminators *e)
{
	*e = (struct eliminators){ 0 };
	eliminators_find(t, o, 0, 0, e);
	order_free(o);
	assert_int_equal(e->nsets, 1);
}

/* The run has this one repair, of one block, which excludes one linearizable trace. */
static void expect_repair(struct ranking *r, const char *function, uint32_t first, uint32_t last)
{
	const struct ranking_result *result = ranking_finish(r);

	assert_int_equal(result->nrepairs, 1);
	assert_true(is_block(&result->repairs[0].repair, function, first, last));
	assert_int_equal(result->repairs[0].disabled, 1);
	assert_int_equal(result->without_repair, 0);
}

/* Over all conflicts a cycle closes at the lock; the block has to reach to the write. A trace that
 * differs from a serial one only in who had the lock first does not count. */
static void test_block_ends_at_the_write_not_at_the_lock(void **state)
{
	struct ranking *r = line_ranking(NULL);
	struct eliminators e;
	struct order o = { 0 };
	struct maker m;

	(void)state;
	make_walk(&m, 1);
	order_build(&o, &m.t);
	find_sets(&m.t, &o, &e);
	assert_int_equal(m.t.events[e.segments[0].last].kind, LP_EV_LOCK);
	eliminators_free(&e);
	add_made(r, &m, false);
	ranking_combine(r);
	make_walk(&m, 2);
	add_made(r, &m, true);
	make_walk(&m, 1);
	add_made(r, &m, true);
	expect_repair(r, "f0", 3, 7);
	assert_true(ranking_finish(r)->average_conflicts == 2);
	ranking_free(r);
}

static void test_cycle_through_a_lock_alone(void **state)
{
	struct ranking *r = line_ranking(NULL);
	struct maker m;

	(void)state;
	make_turns(&m);
	add_made(r, &m, false);
	assert_int_equal(ranking_last_count(r), 1);
	ranking_combine(r);
	make_turns(&m);
	add_made(r, &m, true);
	expect_repair(r, "f1", 44, 45);
	assert_true(ranking_finish(r)->average_conflicts == 8);
	ranking_free(r);
}

/* The block of the one trace still reaches to the write; that of the other needs the lock, so all
 * conflicts count when linearizable traces are counted. */
static void test_one_trace_needs_the_lock(void **state)
{
	struct ranking *r = line_ranking(NULL);
	const struct ranking_result *result;
	struct maker m;

	(void)state;
	make_turns(&m);
	add_made(r, &m, false);
	make_walk(&m, 1);
	add_made(r, &m, false);
	ranking_combine(r);
	make_walk(&m, 2);
	add_made(r, &m, true);
	result = ranking_finish(r);
	assert_int_equal(result->nrepairs, 1);
	assert_int_equal(result->repairs[0].repair.nblocks, 2);
	assert_true(has_block(&result->repairs[0].repair, "f0", 3, 7));
	assert_true(has_block(&result->repairs[0].repair, "f1", 44, 45));
	assert_int_equal(result->repairs[0].disabled, 1);
	assert_true(result->average_conflicts == 5);
	ranking_free(r);
}

/* Over memory accesses there is a block in each operation. That of the second runs under the lock
 * and is not needed once the first, which takes the lock, is atomic; it does not do alone. */
static void test_block_that_a_lock_makes_superfluous(void **state)
{
	struct ranking *r = line_ranking(NULL);
	struct eliminators e;
	struct order o = { 0 };
	struct maker m;

	(void)state;
	make_lost_insertion(&m);
	order_build_memory(&o, &m.t);
	find_sets(&m.t, &o, &e);
	assert_int_equal(e.sets[0].count, 2);
	eliminators_free(&e);
	add_made(r, &m, false);
	ranking_combine(r);
	make_lost_insertion(&m);
	add_made(r, &m, true);
	expect_repair(r, "f0", 3, 7);
	ranking_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block_ends_at_the_write_not_at_the_lock),
		cmocka_unit_test(test_cycle_through_a_lock_alone),
		cmocka_unit_test(test_one_trace_needs_the_lock),
		cmocka_unit_test(test_block_that_a_lock_makes_superfluous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
