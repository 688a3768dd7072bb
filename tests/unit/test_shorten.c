/* SPDX-License-Identifier: MIT
 *
 * The order with the fewest switches, compared with all orders that equivalent executions have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "judge/shorten.h"
#include "repair_traces.h"

static unsigned state;

static unsigned below(unsigned n)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % n;
}

/* Must event a come before b, which follows it in the trace? */
static bool before(const struct trace *t, uint32_t a, uint32_t b, bool times)
{
	const struct event *x = &t->events[a], *y = &t->events[b];

	if (x->thread == y->thread || events_conflict(x, y))
		return true;
	return times && x->kind == LP_EV_RETURN && y->kind == LP_EV_CALL;
}

static uint32_t switches(const struct trace *t, const uint32_t *order)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nevents; i++)
		n += !i || t->events[order[i]].thread != t->events[order[i - 1]].thread;
	return n;
}

/* The least number over all orders: what is in `done` is placed, the last one was of `thread`. */
static uint32_t least(const struct trace *t, bool times, uint32_t done, uint32_t thread,
		      uint8_t *memo)
{
	uint32_t best = UINT32_MAX, all = (1u << t->nevents) - 1;
	uint8_t *known = &memo[done * 4 + (thread == NONE ? 3 : thread)];

	if (done == all)
		return 0;
	if (*known)
		return *known - 1;
	for (uint32_t b = 0; b < t->nevents; b++) {
		bool free = !(done >> b & 1);
		uint32_t cost;

		for (uint32_t a = 0; a < b && free; a++)
			free = (done >> a & 1) || !before(t, a, b, times);
		if (!free)
			continue;
		cost = (t->events[b].thread != thread) +
		       least(t, times, done | 1u << b, t->events[b].thread, memo);
		if (cost < best)
			best = cost;
	}
	*known = (uint8_t)(best + 1);
	return best;
}

/* Three threads, each in operations, a few variables. */
static void make_trace(struct maker *m, unsigned size)
{
	maker_init(m);
	while (m->t.nevents < size) {
		unsigned thread = below(3);

		if (m->running[thread] == NONE)
			make_call(m, thread, 0, 0, 0);
		else if (below(4) == 0)
			make_return(m, thread, 0, 0);
		else if (below(2))
			make_write(m, thread, 1 + below(3), 1);
		else
			make_read(m, thread, 1 + below(3), 1);
	}
	m->t.outcome.thread = NONE;
	m->t.nthreads = 3;
}

static void check(const struct trace *t, bool times)
{
	uint32_t recorded[16], *order = shorten(t, NULL, times), place[16], found;
	uint8_t *memo = calloc(4u << t->nevents, 1);

	for (uint32_t i = 0; i < t->nevents; i++)
		recorded[i] = i;
	found = switches(t, order ? order : recorded);
	assert_int_equal(found, least(t, times, 0, NONE, memo));
	for (uint32_t i = 0; order && i < t->nevents; i++)
		place[order[i]] = i;
	for (uint32_t b = 0; order && b < t->nevents; b++)
		for (uint32_t a = 0; a < b; a++)
			assert_true(place[a] < place[b] || !before(t, a, b, times));
	free(memo);
	free(order);
}

static void test_fewest(void **unused)
{
	for (state = 1; state < 400000; state += 1000) {
		unsigned seed = state;
		struct maker m;

		make_trace(&m, 6 + below(7));
		check(&m.t, false);
		check(&m.t, true);
		maker_free(&m);
		state = seed;
	}
	(void)unused;
}

/* What a crash follows stays last. */
static void test_end(void **unused)
{
	struct maker m;
	uint32_t *order;

	maker_init(&m);
	make_write(&m, 0, 1, 1);
	make_write(&m, 1, 2, 1);
	make_write(&m, 0, 3, 1);
	make_write(&m, 1, 4, 1);
	make_write(&m, 0, 5, 1);
	m.t.outcome.kind = LP_OUT_CRASH;
	m.t.outcome.thread = 0;
	order = shorten(&m.t, NULL, false);
	assert_non_null(order);
	assert_int_equal(order[4], 4);
	assert_int_equal(switches(&m.t, order), 2);
	free(order);
	maker_free(&m);
	(void)unused;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fewest),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
