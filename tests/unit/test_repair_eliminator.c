/* SPDX-License-Identifier: MIT
 *
 * Trace eliminators against two oracles: the plain enumeration of all sequences of conflict edges,
 * and the definition (all ways to cut the operations into intervals, each tested for a cycle of the
 * contracted graph).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "repair/eliminator.h"
#include "repair_oracles.h"
#include "repair_traces.h"

static bool contains(const struct sets *sets, const struct trace *t, const struct set *one)
{
	for (uint32_t i = 0; i < sets->n; i++)
		if (subsumed(t, &sets->list[i], one) && subsumed(t, one, &sets->list[i]))
			return true;
	return false;
}

static void walk(const struct trace *t, struct sets *found)
{
	struct order o = { 0 };
	struct eliminators r = { 0 };

	order_build(&o, t);
	eliminators_find(t, &o, 0, MAX_SETS - 1, &r);
	assert_false(r.truncated);
	found->n = r.nsets;
	for (uint32_t i = 0; i < r.nsets; i++) {
		uint32_t n = 0;

		for (; n < r.sets[i].count; n++)
			found->list[i].s[n] = r.segments[r.sets[i].start + n];
		found->list[i].s[n].first = NONE;
	}
	eliminators_free(&r);
	order_free(&o);
}

static struct sets new_sets(void)
{
	return (struct sets){ xmalloc(MAX_SETS * sizeof(struct set)), 0 };
}

static void compare(const struct trace *t, const struct sets *a, const struct sets *b,
		    const char *what, int seed)
{
	bool same = a->n == b->n;

	for (uint32_t i = 0; i < a->n && same; i++)
		same = contains(b, t, &a->list[i]);
	if (!same) {
		for (uint32_t i = 0; i < t->nevents; i++)
			printf("%u: T%u op%d kind%u region%u+%u\n", i, t->events[i].thread,
			       (int)t->events[i].op, t->events[i].kind, t->events[i].region,
			       (unsigned)t->events[i].offset);
		fail_msg("%s, seed %d: %u sets against %u", what, seed, a->n, b->n);
	}
}

static const uint8_t kinds[] = { LP_EV_READ,     LP_EV_READ, LP_EV_WRITE,  LP_EV_WRITE, LP_EV_RMW,
				 LP_EV_CAS_FAIL, LP_EV_LOCK, LP_EV_RDLOCK, LP_EV_TRYLOCK_FAIL, LP_EV_FENCE };

/* A random trace; thread 0 creates and joins the others when `tree` is set. */
static void random_trace(struct maker *m, uint64_t *seed, uint32_t threads, uint32_t events,
			 uint32_t variables, bool tree)
{
	uint32_t created = tree ? 1 : threads, joined = 1;

	maker_init(m);
	while (m->t.nevents < events) {
		uint32_t thread = random_below(seed, created), what = random_below(seed, 10), i;
		bool running = m->running[thread] != NONE;

		if (thread && joined > 1 && thread < joined)
			continue;
		if (tree && !thread && what < 3 && created < threads) {
			i = make_event(m, 0, LP_EV_CREATE, 0);
			m->t.events[i].other = created++;
		} else if (tree && !thread && what == 3 && joined < created) {
			i = make_event(m, 0, LP_EV_JOIN, 0);
			m->t.events[i].other = joined++;
		} else if (what == 4 && !running) {
			make_call(m, thread, 0, 0, 0);
		} else if (what == 5 && running && m->t.nevents > 4) {
			make_return(m, thread, 0, 0);
		} else if (running || what == 6) {
			uint32_t wide = random_below(seed, 5) == 0;

			make_access(m, thread, kinds[random_below(seed, sizeof kinds)], 0,
				    random_below(seed, variables), random_below(seed, 2) * 4,
				    wide ? 8 : 4);
		}
	}
}

static void test_random_against_plain_enumeration(void **state)
{
	struct sets got = new_sets(), expected = new_sets();
	uint32_t nonempty = 0, several = 0;

	(void)state;
	for (int k = 1; k <= 2500; k++) {
		uint64_t seed = (uint64_t)k;
		struct maker m;

		random_trace(&m, &seed, 2 + (uint32_t)k % 3, 14 + (uint32_t)k % 12,
			     1 + (uint32_t)k % 4, k % 5 == 0);
		plain_enumeration(&m.t, &expected);
		walk(&m.t, &got);
		compare(&m.t, &got, &expected, "enumeration", k);
		nonempty += expected.n > 0;
		several += expected.n > 1;
		maker_free(&m);
	}
	assert_true(nonempty > 1000 && several > 300);
	free(got.list);
	free(expected.list);
}

static void test_random_against_definition(void **state)
{
	struct sets got = new_sets(), expected = new_sets();
	uint32_t nonempty = 0;

	(void)state;
	for (int k = 1; k <= 500; k++) {
		uint64_t seed = 7000 + (uint64_t)k;
		struct maker m;

		random_trace(&m, &seed, 2 + (uint32_t)k % 3, 14, 1 + (uint32_t)k % 3, k % 4 == 0);
		definition(&m.t, &expected);
		walk(&m.t, &got);
		compare(&m.t, &got, &expected, "definition", k);
		nonempty += expected.n > 0;
		maker_free(&m);
	}
	assert_true(nonempty > 80);
	free(got.list);
	free(expected.list);
}

static void expect_sets(struct maker *m, const struct segment (*expected)[2], uint32_t n)
{
	struct sets got = new_sets();

	walk(&m->t, &got);
	assert_int_equal(got.n, n);
	for (uint32_t i = 0; i < n; i++) {
		struct set one = { { expected[i][0], expected[i][1], { NONE, 0 } } };

		assert_true(contains(&got, &m->t, &one));
	}
	free(got.list);
	maker_free(m);
}

/* R x | W x | W x: accepted only because a cycle may leave a thread at the very event at which it
 * entered. */
static void test_lost_update(void **state)
{
	const struct segment expected[][2] = { { { 1, 4 }, { NONE, 0 } } };
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_read(&m, 0, 1, 1);
	make_call(&m, 1, 0, 0, 0);
	make_write(&m, 1, 1, 2);
	make_write(&m, 0, 1, 3);
	make_return(&m, 0, 0, 0);
	make_return(&m, 1, 0, 0);
	expect_sets(&m, expected, 1);
}

/* Three threads, edges (a1,a6) (a8,a3) (a8,a4): only [a1,a3]. */
static void test_interval_example(void **state)
{
	struct segment expected[1][2];
	uint32_t a1, a3;
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	a1 = make_read(&m, 0, 1, 1);
	make_read(&m, 0, 9, 2);
	make_call(&m, 1, 0, 0, 0);
	make_read(&m, 1, 7, 5);
	make_write(&m, 1, 1, 6); /* (a1,a6) */
	make_call(&m, 2, 0, 0, 0);
	make_read(&m, 2, 7, 7);
	make_write(&m, 1, 3, 0); /* carries the order on to the third thread */
	make_read(&m, 2, 3, 0);
	make_write(&m, 2, 2, 8);
	a3 = make_read(&m, 0, 2, 3); /* (a8,a3) */
	make_read(&m, 0, 2, 4);      /* (a8,a4) */
	expected[0][0] = (struct segment){ a1, a3 };
	expected[0][1].first = NONE;
	expect_sets(&m, (const struct segment(*)[2])expected, 1);
}

/* insert reads pred.succ, then writes succ.item; remove reads succ.item, then writes pred.succ: a
 * block in each. */
static void test_two_block_cycle(void **state)
{
	struct segment expected[1][2];
	struct maker m;
	uint32_t r0, r1, w0, w1;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_call(&m, 1, 0, 0, 0);
	r0 = make_read(&m, 0, 1, 1);
	r1 = make_read(&m, 1, 2, 3);
	w0 = make_write(&m, 0, 2, 2);
	w1 = make_write(&m, 1, 1, 4);
	expected[0][0] = (struct segment){ r0, w0 };
	expected[0][1] = (struct segment){ r1, w1 };
	expect_sets(&m, (const struct segment(*)[2])expected, 1);
}

/* k parallel conflicts between neighbours in a ring of n threads: k^n. Thread i reads its variables
 * in ascending order, then writes those of the next thread's in descending order, so that each
 * pairing costs a segment of its own that contains no other. */
static void make_ring(struct maker *m, uint32_t n, uint32_t k)
{
	maker_init(m);
	for (uint32_t i = 0; i < n; i++)
		make_call(m, i, 0, 0, 0);
	for (uint32_t j = 0; j < k; j++)
		for (uint32_t i = 0; i < n; i++)
			make_read(m, i, i * k + j, j);
	for (uint32_t j = 0; j < k; j++)
		for (uint32_t i = 0; i < n; i++)
			make_write(m, i, (i + 1) % n * k + j, k + j);
}

static void test_ring_of_parallel_conflicts(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 4; n++)
		for (uint32_t k = 1, power; k <= 5; k++) {
			struct sets got = new_sets();
			struct maker m;

			make_ring(&m, n, k);
			walk(&m.t, &got);
			power = 1;
			for (uint32_t i = 0; i < n; i++)
				power *= k;
			assert_int_equal(got.n, power);
			free(got.list);
			maker_free(&m);
		}
}

/* Reaching a bound is reported, and the partial result is correct. */
static void test_bounds_are_reported(void **state)
{
	struct sets all = new_sets();
	struct order o = { 0 };
	struct eliminators r = { 0 };
	struct maker m;

	(void)state;
	make_ring(&m, 4, 5);
	walk(&m.t, &all);
	order_build(&o, &m.t);
	for (int pass = 0; pass < 2; pass++) {
		eliminators_find(&m.t, &o, pass ? 5000 : 0, pass ? 0 : 100, &r);
		assert_true(r.truncated);
		assert_true(r.nsets > 0 && r.nsets < 625);
		for (uint32_t i = 0; i < r.nsets; i++) {
			struct set one;
			uint32_t n = 0;

			for (; n < r.sets[i].count; n++)
				one.s[n] = r.segments[r.sets[i].start + n];
			one.s[n].first = NONE;
			assert_true(contains(&all, &m.t, &one));
		}
	}
	eliminators_free(&r);
	order_free(&o);
	free(all.list);
	maker_free(&m);
}

/* Hundreds of reads in spin loops take little time. */
static void test_spin_loops_do_not_multiply(void **state)
{
	struct order o = { 0 };
	struct eliminators r = { 0 };
	struct maker m;

	(void)state;
	maker_init(&m);
	for (uint32_t i = 0; i < 4; i++)
		make_call(&m, i, 0, 0, 0);
	for (uint32_t j = 0; j < 40; j++)
		for (uint32_t i = 0; i < 4; i++)
			make_read(&m, i, (i + 1) % 4, 1);
	for (uint32_t i = 0; i < 4; i++)
		make_write(&m, i, i, 2);
	for (uint32_t j = 0; j < 40; j++)
		for (uint32_t i = 0; i < 4; i++)
			make_read(&m, i, (i + 1) % 4, 1);
	for (uint32_t i = 0; i < 4; i++)
		make_write(&m, i, i, 3);
	order_build(&o, &m.t);
	assert_true(order_conflicts(&o, &m.t) > 400);
	eliminators_find(&m.t, &o, 0, 0, &r);
	assert_false(r.truncated);
	assert_true(r.nsets > 0);
	assert_true(r.work < 5000);
	eliminators_free(&r);
	order_free(&o);
	maker_free(&m);
}

/* No atomic block excludes what is conflict serializable, nor spans two operations or code outside
 * them. */
static void test_no_eliminator(void **state)
{
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_read(&m, 0, 1, 1);
	make_return(&m, 0, 0, 0);
	make_write(&m, 1, 1, 2);
	make_call(&m, 0, 0, 0, 0);
	make_write(&m, 0, 1, 3);
	make_return(&m, 0, 0, 0);
	expect_sets(&m, NULL, 0);
	maker_init(&m);
	expect_sets(&m, NULL, 0);
}

/* A segment may go on through an operation that is called inside its own. */
static void test_nested_operations_are_part_of_the_outer(void **state)
{
	struct segment expected[1][2] = { { { 0, 0 }, { NONE, 0 } } };
	struct maker m;
	uint32_t outer;

	(void)state;
	maker_init(&m);
	outer = make_call(&m, 0, 0, 0, 0);
	expected[0][0].first = make_read(&m, 0, 1, 1);
	make_write(&m, 1, 1, 2);
	make_call(&m, 0, 0, 0, 0);
	expected[0][0].last = make_write(&m, 0, 1, 3);
	make_return(&m, 0, 0, 0);
	m.running[0] = outer;
	make_return(&m, 0, 0, 0);
	expect_sets(&m, (const struct segment(*)[2])expected, 1);
}

/* The mutex that a condition wait releases is a write to that mutex; events without a size still
 * overlap. */
static void test_wait_writes_its_mutex(void **state)
{
	struct order o = { 0 };
	struct maker m;
	uint32_t i;

	(void)state;
	maker_init(&m);
	make_access(&m, 0, LP_EV_LOCK, 0, 5, 0, 0);
	i = make_access(&m, 0, LP_EV_WAIT, 0, 6, 0, 0);
	m.t.events[i].location2 = m.t.events[0].location;
	make_access(&m, 1, LP_EV_LOCK, 0, 5, 0, 0);
	order_build(&o, &m.t);
	assert_int_equal(order_conflicts(&o, &m.t), 2);
	assert_int_equal(o.nedges, 1);
	assert_int_equal(o.targets[o.edge_start[1]], 2);
	order_free(&o);
	maker_free(&m);
}

static void test_conflicts_are_counted_once(void **state)
{
	struct order o = { 0 };

	(void)state;
	for (int k = 1; k <= 300; k++) {
		uint64_t seed = (uint64_t)k, expected = 0;
		struct maker m;

		random_trace(&m, &seed, 4, 40, 3, false);
		for (uint32_t a = 0; a < m.t.nevents; a++)
			for (uint32_t b = a + 1; b < m.t.nevents; b++)
				expected += overlap(&m.t.events[a], &m.t.events[b]);
		order_build(&o, &m.t);
		assert_int_equal(order_conflicts(&o, &m.t), expected);
		maker_free(&m);
	}
	order_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_update),
		cmocka_unit_test(test_interval_example),
		cmocka_unit_test(test_two_block_cycle),
		cmocka_unit_test(test_ring_of_parallel_conflicts),
		cmocka_unit_test(test_bounds_are_reported),
		cmocka_unit_test(test_spin_loops_do_not_multiply),
		cmocka_unit_test(test_no_eliminator),
		cmocka_unit_test(test_nested_operations_are_part_of_the_outer),
		cmocka_unit_test(test_wait_writes_its_mutex),
		cmocka_unit_test(test_conflicts_are_counted_once),
		cmocka_unit_test(test_random_against_plain_enumeration),
		cmocka_unit_test(test_random_against_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
