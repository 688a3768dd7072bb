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
#include "repair_traces.h"

#define MAX_EVENTS 64
#define MAX_SETS   20000

/* A set of segments as a list; first == NONE ends it. */
struct set {
	struct segment s[MAX_EVENTS / 2 + 1];
};

struct sets {
	struct set *list;
	uint32_t n;
};

static bool inside(const struct set *inner, const struct set *outer)
{
	for (const struct segment *a = inner->s; a->first != NONE; a++) {
		bool found = false;

		for (const struct segment *b = outer->s; b->first != NONE && !found; b++)
			found = b->first <= a->first && a->last <= b->last;
		if (!found)
			return false;
	}
	return true;
}

/* Segments of different threads interleave in the trace: containment is only meant within a thread.
 */
static bool subsumed(const struct trace *t, const struct set *inner, const struct set *outer)
{
	struct set filtered = *outer;

	for (const struct segment *a = inner->s; a->first != NONE; a++) {
		uint32_t n = 0;
		struct set one = { { *a, { NONE, 0 } } };

		for (const struct segment *b = outer->s; b->first != NONE; b++)
			if (t->events[b->first].thread == t->events[a->first].thread)
				filtered.s[n++] = *b;
		filtered.s[n].first = NONE;
		if (!inside(&one, &filtered))
			return false;
	}
	return true;
}

static void keep_minimal(const struct trace *t, struct sets *all, const struct set *candidate)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++)
		if (subsumed(t, &all->list[i], candidate))
			return;
	for (uint32_t i = 0; i < all->n; i++)
		if (!subsumed(t, candidate, &all->list[i]))
			all->list[n++] = all->list[i];
	assert_true(n < MAX_SETS);
	all->list[n++] = *candidate;
	all->n = n;
}

static bool overlap(const struct event *a, const struct event *b)
{
	return a->thread != b->thread && a->access && b->access && a->access + b->access > 2 &&
	       a->region == b->region && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

static uint32_t first_of(const struct trace *t, uint32_t thread)
{
	uint32_t i = 0;

	while (i < t->nevents && t->events[i].thread != thread)
		i++;
	return i;
}

/* Must b come after a in all equivalent traces, directly? Events of different threads. */
static bool edge(const struct trace *t, uint32_t a, uint32_t b)
{
	const struct event *x = &t->events[a], *y = &t->events[b];

	if (a >= b || x->thread == y->thread)
		return false;
	if (x->kind == LP_EV_CREATE && x->other == y->thread && first_of(t, y->thread) == b)
		return true;
	if (y->kind == LP_EV_JOIN && y->other == x->thread)
		return true;
	return overlap(x, y);
}

/* The plain enumeration. */
struct plain {
	const struct trace *t;
	uint32_t source[MAX_EVENTS * MAX_EVENTS], target[MAX_EVENTS * MAX_EVENTS], nedges;
	uint32_t path[MAX_TEST_THREADS];
	struct sets *found;
};

/* Joins edge i to edge j: false if that is not allowed; *s is the critical segment, first == NONE
 * if there is none. */
static bool connect(const struct trace *t, uint32_t entry, uint32_t exit, struct segment *s)
{
	const struct event *in = &t->events[entry], *out = &t->events[exit];

	s->first = NONE;
	if (in->thread != out->thread)
		return false;
	if (exit >= entry)
		return true;
	*s = (struct segment){ exit, entry };
	return in->op != NONE && in->op == out->op;
}

static void close_plain(struct plain *p, uint32_t n)
{
	struct set set;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct segment s;

		if (!connect(p->t, p->target[p->path[i]], p->source[p->path[(i + 1) % n]], &s))
			return;
		if (s.first != NONE)
			set.s[count++] = s;
	}
	set.s[count].first = NONE;
	keep_minimal(p->t, p->found, &set);
}

static void extend_plain(struct plain *p, uint32_t n, uint32_t threads)
{
	if (n >= 2)
		close_plain(p, n);
	for (uint32_t k = 0; k < p->nedges; k++) {
		struct segment s;
		uint32_t bit = 1u << p->t->events[p->source[k]].thread;

		if (threads & bit)
			continue;
		if (n && !connect(p->t, p->target[p->path[n - 1]], p->source[k], &s))
			continue;
		p->path[n] = k;
		extend_plain(p, n + 1, threads | bit);
	}
}

static void plain_enumeration(const struct trace *t, struct sets *found)
{
	static struct plain p;

	p.t = t;
	p.found = found;
	p.nedges = 0;
	found->n = 0;
	for (uint32_t a = 0; a < t->nevents; a++)
		for (uint32_t b = a + 1; b < t->nevents; b++)
			if (edge(t, a, b)) {
				p.source[p.nedges] = a;
				p.target[p.nedges++] = b;
			}
	extend_plain(&p, 0, 0);
}

/* The definition. node[i] is the transaction of event i. */
static bool contracted_cycle(const struct trace *t, const uint32_t *node)
{
	uint64_t reach[MAX_EVENTS] = { 0 };
	uint32_t n = t->nevents;

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			if (node[a] != node[b] &&
			    (t->events[a].thread == t->events[b].thread || edge(t, a, b)))
				reach[node[a]] |= 1ULL << node[b];
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			if (reach[a] >> k & 1)
				reach[a] |= reach[k];
	for (uint32_t a = 0; a < n; a++)
		if (reach[a] >> a & 1)
			return true;
	return false;
}

static void definition(const struct trace *t, struct sets *found)
{
	uint32_t cut[MAX_EVENTS], before[MAX_EVENTS], ncuts = 0;

	/* cut[]: pairs of neighbours inside an operation, which may be in one interval or not. */
	for (uint32_t i = 0; i < t->nevents; i++)
		for (uint32_t j = i; j-- > 0;)
			if (t->events[j].thread == t->events[i].thread) {
				if (t->events[i].op != NONE && t->events[i].op == t->events[j].op) {
					before[ncuts] = j;
					cut[ncuts++] = i;
				}
				break;
			}
	assert_true(ncuts < 16);
	found->n = 0;
	for (uint32_t mask = 0; mask < 1u << ncuts; mask++) {
		uint32_t node[MAX_EVENTS], last[MAX_EVENTS], n = 0;
		struct set set;

		for (uint32_t i = 0; i < t->nevents; i++)
			node[i] = i;
		for (uint32_t c = 0; c < ncuts; c++) /* cuts are sorted by the later event */
			if (mask & 1u << c)
				node[cut[c]] = node[before[c]];
		for (uint32_t i = 0; i < t->nevents; i++)
			last[node[i]] = i;
		for (uint32_t i = 0; i < t->nevents; i++)
			if (node[i] == i && last[i] != i)
				set.s[n++] = (struct segment){ i, last[i] };
		set.s[n].first = NONE;
		if (contracted_cycle(t, node))
			keep_minimal(t, found, &set);
	}
}

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
				 LP_EV_CAS_FAIL, LP_EV_LOCK, LP_EV_RDLOCK, LP_EV_FENCE };

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

/* Reaching a bound is said, and what is there is right. */
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

/* Hundreds of reads in spin loops cost next to nothing. */
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
		cmocka_unit_test(test_wait_writes_its_mutex),
		cmocka_unit_test(test_conflicts_are_counted_once),
		cmocka_unit_test(test_random_against_plain_enumeration),
		cmocka_unit_test(test_random_against_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
