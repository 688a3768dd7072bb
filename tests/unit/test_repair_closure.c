/* SPDX-License-Identifier: MIT
 *
 * What a lock has to hold: conflicting lines, whole critical sections; and one lock around nestings of
 * others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "repair/closure.h"
#include "repair/nesting.h"
#include "repair_lines.h"
#include "repair_traces.h"

#define LOCK_A 60 /* regions of locks */
#define LOCK_B 61

static struct fake_source lines = { line_sites, NULL };

static void lock_event(struct maker *m, unsigned thread, unsigned kind, uint32_t lock, uint32_t line)
{
	make_access(m, thread, kind, line - 1, lock, 0, 1);
}

static void child(struct maker *m, unsigned kind, unsigned thread)
{
	uint32_t i = make_event(m, 0, kind, 399);

	m->t.events[i].other = thread;
}

static void read_line(struct maker *m, unsigned thread, uint32_t v, uint32_t line)
{
	make_read(m, thread, v, line - 1);
}

static void write_line(struct maker *m, unsigned thread, uint32_t v, uint32_t line)
{
	make_write(m, thread, v, line - 1);
}

/* The closure of one block of f0 over one trace. Threads 1 and 2 are made and joined by thread 0. */
static void close_over(struct maker *m, uint32_t first, uint32_t last, struct closed *closed)
{
	struct source_map map = fake_map(&lines);
	struct closure *c;
	struct repair r = { 0 };
	struct block b = block_of("f0", first, last);

	make_line_sites();
	c = closure_new(&map, true);
	repair_add(&r, &b);
	closure_see(c, &m->t);
	closure_make(c, &r, closed);
	closure_free(c);
	repair_free(&r);
	maker_free(m);
}

static void begin(struct maker *m)
{
	maker_init(m);
	child(m, LP_EV_CREATE, 1);
	child(m, LP_EV_CREATE, 2);
}

static void end(struct maker *m)
{
	child(m, LP_EV_JOIN, 1);
	child(m, LP_EV_JOIN, 2);
}

/* A plain write beside a lost update. What that line does besides counts in turn: line 10 reads another
 * variable that it writes. What only reads, touches something else, or comes before or after the
 * threads, needs no lock. */
static void test_conflicting_lines(void **state)
{
	struct closed closed;
	struct maker m;

	(void)state;
	maker_init(&m);
	write_line(&m, 0, 1, 300);
	child(&m, LP_EV_CREATE, 1);
	child(&m, LP_EV_CREATE, 2);
	read_line(&m, 1, 1, 3);
	write_line(&m, 2, 1, 90);
	write_line(&m, 2, 2, 90);
	read_line(&m, 2, 3, 95);
	write_line(&m, 1, 1, 4);
	read_line(&m, 1, 2, 10);
	read_line(&m, 1, 3, 12);
	end(&m);
	read_line(&m, 0, 1, 310);
	close_over(&m, 3, 4, &closed);
	assert_int_equal(closed.blocks.nblocks, 3);
	assert_true(has_block(&closed.blocks, "f0", 3, 4));
	assert_true(has_block(&closed.blocks, "f2", 90, 90));
	assert_true(has_block(&closed.blocks, "f0", 10, 10));
	closed_free(&closed);
}

/* A trylock sees that the lock is taken in a block; whoever waits for the lock does not. */
/* A freed block is given out again at line 51: whoever used it conflicts with the free at line 50. */
static void test_given_again(void **state)
{
	(void)state;
	for (unsigned again = 0; again < 2; again++) {
		struct maker m;
		struct closed closed;

		begin(&m);
		read_line(&m, 1, 3, 2);
		read_line(&m, 1, 3, 3);
		make_access(&m, 2, LP_EV_FREE, 49, 3, 0, 8);
		write_line(&m, 2, 3, 51);
		make_access(&m, 2, LP_EV_ALLOC, 50, 4, 0, 8);
		m.t.events[m.t.nevents - 1].again = again;
		end(&m);
		close_over(&m, 2, 3, &closed);
		assert_int_equal(closed.blocks.nblocks, again ? 2 : 3);
		assert_true(has_block(&closed.blocks, "f1", 50, 50));
		closed_free(&closed);
	}
}

static void test_failed_trylock(void **state)
{
	struct closed closed;
	struct maker m;

	(void)state;
	begin(&m);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 3);
	lock_event(&m, 2, LP_EV_TRYLOCK_FAIL, LOCK_A, 90);
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_A, 5);
	lock_event(&m, 2, LP_EV_LOCK, LOCK_A, 93);
	lock_event(&m, 2, LP_EV_UNLOCK, LOCK_A, 94);
	end(&m);
	close_over(&m, 3, 5, &closed);
	assert_int_equal(closed.blocks.nblocks, 2);
	assert_true(has_block(&closed.blocks, "f2", 90, 90));
	closed_free(&closed);
}

/* The block begins in a critical section: both become one. */
static void test_section_is_widened(void **state)
{
	struct closed closed;
	struct maker m;

	(void)state;
	begin(&m);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 2);
	read_line(&m, 1, 1, 3);
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_A, 5);
	write_line(&m, 1, 1, 7);
	end(&m);
	close_over(&m, 3, 7, &closed);
	assert_true(is_block(&closed.blocks, "f0", 2, 7));
	assert_int_equal(closed.nsections, 1);
	assert_int_equal(closed.sections[0].lock, LOCK_A * 64);
	assert_int_equal(closed.sections[0].lines.first, 2);
	assert_int_equal(closed.sections[0].lines.last, 5);
	assert_int_equal(closed.sections[0].whole.first, 2);
	assert_int_equal(closed.sections[0].whole.last, 7);
	closed_free(&closed);
}

/* The block lies in a section that a caller holds; a section inside the block is none of its
 * business. */
static void test_section_of_a_caller(void **state)
{
	struct closed closed;
	struct maker m;

	(void)state;
	begin(&m);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 1);    /* f0, called at driver:1000 */
	read_line(&m, 1, 1, 12);                     /* driver:1001 */
	lock_event(&m, 1, LP_EV_LOCK, LOCK_B, 13);   /* inside */
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_B, 14);
	write_line(&m, 1, 1, 15);
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_A, 125); /* f3, called at driver:1012 */
	end(&m);
	close_over(&m, 12, 15, &closed);
	assert_true(has_block(&closed.blocks, "driver", 1000, 1012));
	assert_int_equal(closed.nsections, 0);
	closed_free(&closed);
}

/* Test outside of the lock, wait inside: a lock around all of that would never be given back. */
static void test_wait_in_the_section(void **state)
{
	struct closed closed;
	struct maker m;

	(void)state;
	begin(&m);
	read_line(&m, 1, 1, 2);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 3);
	lock_event(&m, 1, LP_EV_WAIT, LOCK_B, 4);
	lock_event(&m, 1, LP_EV_WAKE, LOCK_B, 4);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 4);
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_A, 6);
	end(&m);
	close_over(&m, 2, 3, &closed);
	assert_int_equal(closed.wait_site, 3);
	closed_free(&closed);
}

/* Two threads take two locks in both orders; in the deadlock, each has one of them. A third place nests
 * them in an execution that goes well. */
static void test_gate(void **state)
{
	struct source_map map = fake_map(&lines);
	struct waiter waiters[] = { { 1, 3, LOCK_B * 64, 2, LP_WAIT_LOCK },
				    { 2, 82, LOCK_A * 64, 1, LP_WAIT_LOCK },
				    { 0, 399, NONE, 1, LP_WAIT_JOIN } };
	struct nestings *n;
	struct lock_circle circle;
	struct repair gate;
	struct maker m;

	(void)state;
	make_line_sites();
	n = nestings_new(&map, true);
	begin(&m);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 2);
	lock_event(&m, 2, LP_EV_LOCK, LOCK_B, 81);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_B, 4); /* they wait */
	lock_event(&m, 2, LP_EV_LOCK, LOCK_A, 83);
	m.t.nadded = m.t.npending = 2;
	m.t.outcome = (struct outcome){ .kind = LP_OUT_DEADLOCK, .waiters = waiters, .nwaiters = 3 };
	nestings_add(n, &m.t);
	assert_true(lock_circle_find(&m.t, &circle));
	assert_int_equal(circle.n, 2);
	maker_free(&m);
	begin(&m);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_A, 41);
	lock_event(&m, 1, LP_EV_LOCK, LOCK_B, 44);
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_B, 45);
	lock_event(&m, 1, LP_EV_UNLOCK, LOCK_A, 46);
	end(&m);
	assert_false(lock_circle_find(&m.t, &(struct lock_circle){ 0 }));
	nestings_add(n, &m.t);
	maker_free(&m);
	assert_true(nestings_gate(n, &circle, &gate));
	assert_int_equal(gate.nblocks, 3);
	assert_true(has_block(&gate, "f0", 2, 4));
	assert_true(has_block(&gate, "f2", 81, 83));
	assert_true(has_block(&gate, "f1", 41, 44));
	repair_free(&gate);
	free(circle.locks);
	nestings_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conflicting_lines), cmocka_unit_test(test_given_again), cmocka_unit_test(test_failed_trylock),
		cmocka_unit_test(test_section_is_widened), cmocka_unit_test(test_section_of_a_caller),
		cmocka_unit_test(test_wait_in_the_section), cmocka_unit_test(test_gate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
