/* SPDX-License-Identifier: MIT
 *
 * Flow between events, static blocks of segments, and the check of a static
 * repair against the definition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "repair/check.h"
#include "repair/locate.h"
#include "base/numbering.h"
#include "repair/list.h"
#include "repair_source.h"
#include "repair_traces.h"

/* ---- sets of blocks ---- */

static void test_overlapping_blocks_merge(void **state)
{
	struct block a = block_of("f", 10, 20), b = block_of("f", 30, 40),
		     c = block_of("f", 20, 30);
	struct block other = block_of("g", 15, 35), next = block_of("f", 41, 42);
	struct repair r, s;

	(void)state;
	repair_init(&r);
	repair_add(&r, &b);
	repair_add(&r, &other);
	repair_add(&r, &a);
	assert_int_equal(r.nblocks, 3);
	assert_int_equal(r.blocks[0].first, 10);
	repair_copy(&s, &r);
	repair_add(&r, &next); /* touches, but shares no line */
	assert_int_equal(r.nblocks, 4);
	repair_add(&r, &c);
	assert_int_equal(r.nblocks, 3);
	assert_int_equal(r.blocks[0].first, 10);
	assert_int_equal(r.blocks[0].last, 40);
	assert_true(repair_subsumes(&r, &s));
	assert_false(repair_subsumes(&s, &r));
	assert_int_equal(repair_lines(&s), 11 + 11 + 21);
	repair_free(&r);
	repair_free(&s);
}

static void test_lists_keep_the_minimal(void **state)
{
	static const uint32_t lines[][2] = { { 1, 9 }, { 2, 5 }, { 3, 8 },
					     { 3, 4 }, { 7, 7 }, { 3, 4 } };
	struct repair_list l = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		struct block b = block_of("f", lines[i][0], lines[i][1]);
		struct repair r;

		repair_init(&r);
		repair_add(&r, &b);
		repair_list_add(&l, &r);
	}
	assert_int_equal(l.n, 2);
	assert_int_equal(repair_list_trim(&l, 1), 1);
	assert_int_equal(l.list[0].blocks[0].first, 7);
	repair_list_free(&l);
}

/* ---- blocks of segments ---- */

/* A walk in `add`, `validate` called by it, a retry loop round both. */
static const char walk_text[] = "int validate(void) {\n"                   /* 1 */
				"	node = head;\n"                    /* 2 */
				"	while (node->key <= k) {\n"        /* 3 */
				"		if (node == p)\n"          /* 4 */
				"			return p->next;\n" /* 5 */
				"		node = node->next;\n"      /* 6 */
				"	}\n"                               /* 7 */
				"}\n"                                      /* 8 */
				"int add(int k) {\n"                       /* 9 */
				"	for (;;) {\n"                      /* 10 */
				"		if (validate()) {\n"       /* 11 */
				"			p->next = n;\n"    /* 12 */
				"			return 1;\n"       /* 13 */
				"		}\n"                       /* 14 */
				"		x = y; y = x;\n"           /* 15 */
				"	}\n"                               /* 16 */
				"}\n";

enum { S_NONE, S_HEAD, S_KEY, S_NEXT, S_RESULT, S_LINK, S_X, S_Y, S_UNKNOWN, S_OTHER, S_MERGED };

#define IN_ADD(line, position) FRAME("thread", 50, 0), FRAME("add", line, position)
#define IN_VALIDATE(line)      IN_ADD(11, 0), FRAME("validate", line, 0)

static const struct fake_site walk_sites[] = {
	[S_NONE] = { { FRAME("thread", 50, 1) } },
	[S_HEAD] = { { IN_VALIDATE(2) } },
	[S_KEY] = { { IN_VALIDATE(3) } },
	[S_NEXT] = { { IN_VALIDATE(6) } },
	[S_RESULT] = { { IN_VALIDATE(5) } },
	[S_LINK] = { { IN_ADD(12, 0) } },
	[S_X] = { { IN_ADD(15, 1) } },
	[S_Y] = { { IN_ADD(15, 2) } },
	[S_UNKNOWN] = { { { 0 } } },
	[S_OTHER] = { { FRAME("elsewhere", 70, 0) } },
	/* Statements of lines 2 and 6 in one instruction, between those of lines 2 and 3. */
	[S_MERGED] = { { IN_ADD(11, 0), { "validate", "t.c", 2, 0, 250, 3 } } },
};

/* One thread that visits the sites in order inside one operation; the segment is from the first to
 * the last. */
static bool locate(const char *text, const uint32_t *sites, enum extent extent, bool covering,
		   struct block *b)
{
	struct fake_source source = { walk_sites, text };
	struct source_map map = fake_map(&source);
	struct flows *f = flows_new(&map);
	struct segment s = { NONE, 0 };
	struct order o = { 0 };
	struct maker m;
	bool ok;

	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	for (; *sites; sites++) {
		s.last = make_read(&m, 0, 1, *sites);
		if (s.first == NONE)
			s.first = s.last;
	}
	order_build(&o, &m.t);
	ok = covering ? locate_covering(f, &m.t, &o, &s, b)
		      : locate_segment(f, &m.t, &o, &s, extent, b);
	order_free(&o);
	maker_free(&m);
	flows_free(f);
	return ok;
}

static void expect_block(const struct block *b, const char *function, uint32_t first, uint32_t last)
{
	assert_string_equal(b->function, function);
	assert_int_equal(b->first, first);
	assert_int_equal(b->last, last);
}

/* "51 to 56" where line 51 is the call whose reads are elsewhere. */
static void test_block_begins_at_the_call(void **state)
{
	const uint32_t sites[] = { S_RESULT, S_LINK, 0 };
	struct block b;

	(void)state;
	assert_true(locate(walk_text, sites, EXTENT_ENDS, false, &b));
	expect_block(&b, "add", 11, 12);
}

static void test_block_in_the_callee(void **state)
{
	const uint32_t sites[] = { S_HEAD, S_KEY, S_NEXT, S_KEY, S_RESULT, 0 };
	struct block b;

	(void)state;
	assert_true(locate(walk_text, sites, EXTENT_ENDS, false, &b));
	expect_block(&b, "validate", 2, 5);
	assert_true(locate(walk_text, sites, EXTENT_ENDS, true, &b)); /* the loop must be inside */
	expect_block(&b, "validate", 2, 7);
}

/* From one iteration to the next: lines 3 to 6 in the body do not cover it, the whole loop does. */
static void test_widened_to_the_loop(void **state)
{
	const uint32_t sites[] = { S_NEXT, S_KEY, 0 };
	struct block b;

	(void)state;
	assert_true(locate(walk_text, sites, EXTENT_ENDS, false, &b));
	expect_block(&b, "validate", 3, 6);
	assert_true(locate(walk_text, sites, EXTENT_ENDS, true, &b));
	expect_block(&b, "validate", 3, 7);
}

/* Called twice by a loop of the caller: the activations differ, so the block is in the caller. */
static void test_called_again_by_the_callers_loop(void **state)
{
	const uint32_t sites[] = { S_RESULT, S_HEAD, 0 };
	struct block b;

	(void)state;
	assert_true(locate(walk_text, sites, EXTENT_ENDS, false, &b));
	expect_block(&b, "add", 11, 11);
	assert_true(locate(walk_text, sites, EXTENT_ENDS, true, &b));
	expect_block(&b, "add", 10, 16);
}

/* Where lines are known only from here to there, the block covers them, and the loop round it is
 * the innermost. */
static void test_merged_statements(void **state)
{
	const uint32_t first[] = { S_HEAD, S_MERGED, S_KEY, 0 };
	const uint32_t round[] = { S_HEAD, S_MERGED, S_KEY, S_MERGED, S_KEY, S_RESULT, 0 };
	const uint32_t inner[] = { S_KEY, S_MERGED, 0 }, same[] = { S_MERGED, S_MERGED, 0 };
	struct block b;

	(void)state;
	assert_true(locate(walk_text, first, EXTENT_ENDS, true, &b));
	expect_block(&b, "validate", 2, 3);
	assert_true(locate(walk_text, round, EXTENT_ENDS, true, &b));
	expect_block(&b, "validate", 2, 7);
	assert_true(locate(walk_text, inner, EXTENT_ENDS, true, &b));
	expect_block(&b, "validate", 2, 7);
	assert_true(locate(walk_text, same, EXTENT_ENDS, true, &b));
	expect_block(&b, "validate", 2, 7);
}

/* Without the text the loop's head is taken to be above the line it returns to. */
static void test_widened_without_source_text(void **state)
{
	const uint32_t sites[] = { S_NEXT, S_KEY, S_RESULT, S_NEXT, S_KEY, 0 };
	struct block b;

	(void)state;
	assert_true(locate(NULL, sites, EXTENT_ENDS, false, &b));
	expect_block(&b, "validate", 3, 6);
	assert_true(locate(NULL, sites, EXTENT_ENDS, true, &b));
	expect_block(&b, "validate", 2, 6);
}

static void test_statements_on_one_line_are_one_line(void **state)
{
	const uint32_t forwards[] = { S_X, S_Y, 0 }, again[] = { S_Y, S_X, 0 };
	struct block b;

	(void)state;
	assert_true(locate(walk_text, forwards, EXTENT_ENDS, true, &b));
	expect_block(&b, "add", 15, 15);
	assert_true(locate(walk_text, again, EXTENT_ENDS, true, &b));
	expect_block(&b, "add", 10, 16);
}

static void test_unknown_positions_have_no_block(void **state)
{
	const uint32_t unknown[] = { S_X, S_UNKNOWN, 0 }, apart[] = { S_X, S_OTHER, 0 };
	struct block b;

	(void)state;
	assert_false(locate(walk_text, unknown, EXTENT_ENDS, false, &b));
	assert_false(locate(walk_text, apart, EXTENT_ENDS, true, &b));
}

/* ---- the check ---- */

static bool check(const struct maker *m, const char *text, const struct block *b)
{
	struct fake_source source = { walk_sites, text };
	struct source_map map = fake_map(&source);
	struct flows *f = flows_new(&map);
	struct checker *c = checker_new(f);
	struct order o = { 0 };
	struct repair r;
	bool answer;

	order_build(&o, &m->t);
	repair_init(&r);
	repair_add(&r, b);
	checker_load(c, &m->t, &o);
	answer = checker_eliminates(c, checker_add(c, &r));
	repair_free(&r);
	checker_free(c);
	flows_free(f);
	order_free(&o);
	return answer;
}

/* x is read in one iteration and written in the next; another thread writes between. */
static void test_block_in_a_loop_is_entered_anew(void **state)
{
	struct block body = block_of("validate", 4, 6), loop = block_of("validate", 3, 7);
	struct block head = block_of("validate", 3, 6), caller = block_of("add", 11, 11);
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_read(&m, 0, 1, S_NEXT);
	make_write(&m, 1, 1, S_OTHER);
	make_write(&m, 0, 1, S_RESULT);
	assert_false(check(&m, walk_text, &body));
	assert_false(check(&m, walk_text, &head));
	assert_true(check(&m, walk_text, &loop));
	assert_true(check(&m, walk_text, &caller));
	maker_free(&m);
}

/* An event of the same activation outside the block ends the instance; one of another operation
 * never joins. */
static void test_leaving_ends_the_instance(void **state)
{
	struct block ends = block_of("validate", 2, 3), both = block_of("validate", 2, 5);
	struct maker m;

	(void)state;
	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_read(&m, 0, 1, S_HEAD);
	make_read(&m, 0, 2, S_RESULT);
	make_write(&m, 1, 1, S_OTHER);
	make_write(&m, 0, 1, S_KEY);
	assert_false(check(&m, NULL, &ends));
	assert_true(check(&m, NULL, &both));
	maker_free(&m);

	maker_init(&m);
	make_call(&m, 0, 0, 0, 0);
	make_read(&m, 0, 1, S_HEAD);
	make_return(&m, 0, 0, 0);
	make_write(&m, 1, 1, S_OTHER);
	make_call(&m, 0, 0, 0, 0);
	make_write(&m, 0, 1, S_KEY);
	assert_false(check(&m, walk_text, &both));
	maker_free(&m);
}

/* The definition, with the nodes made from what flows_stay says and the cycle found by transitive
 * closure. */
static bool naive_check(struct flows *f, const struct trace *t, const struct repair *r)
{
	uint32_t node[64], last[MAX_TEST_THREADS];
	uint64_t reach[64] = { 0 };

	memset(last, 0xff, sizeof last);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t p = last[e->thread];
		bool stay = false;

		for (uint32_t k = 0; k < r->nblocks && p != NONE; k++)
			stay |= t->events[p].op == e->op && e->op != NONE &&
				t->events[p].kind != LP_EV_CALL && e->kind != LP_EV_RETURN &&
				flows_stay(f, t->events[p].site, e->site, &r->blocks[k]);
		node[i] = stay ? node[p] : i;
		last[e->thread] = i;
	}
	for (uint32_t a = 0; a < t->nevents; a++)
		for (uint32_t b = a + 1; b < t->nevents; b++)
			if (node[a] != node[b] && (t->events[a].thread == t->events[b].thread ||
						   events_conflict(&t->events[a], &t->events[b])))
				reach[node[a]] |= 1ULL << node[b];
	for (uint32_t k = 0; k < t->nevents; k++)
		for (uint32_t a = 0; a < t->nevents; a++)
			if (reach[a] >> k & 1)
				reach[a] |= reach[k];
	for (uint32_t a = 0; a < t->nevents; a++)
		if (reach[a] >> a & 1)
			return true;
	return false;
}

static void random_program_trace(struct maker *m, uint64_t *seed)
{
	maker_init(m);
	while (m->t.nevents < 40) {
		uint32_t thread = random_below(seed, 2), what = random_below(seed, 24);

		if (what == 0 && m->running[thread] != NONE)
			make_return(m, thread, 0, 0);
		else if (what < 3 && m->running[thread] == NONE)
			make_call(m, thread, 0, 0, 0);
		else
			make_access(m, thread, what % 2 ? LP_EV_READ : LP_EV_WRITE,
				    1 + random_below(seed, S_Y), random_below(seed, 3), 0, 4);
	}
}

static void test_random_against_definition(void **state)
{
	struct fake_source source = { walk_sites, walk_text };
	struct source_map map = fake_map(&source);
	struct flows *f = flows_new(&map);
	struct checker *c = checker_new(f);
	struct order o = { 0 };
	uint64_t seed = 99;
	uint32_t yes = 0, no = 0;

	(void)state;
	for (int k = 0; k < 4000; k++) {
		struct repair r;
		struct maker m;
		bool expected;

		random_program_trace(&m, &seed);
		order_build(&o, &m.t);
		checker_load(c, &m.t, &o);
		repair_init(&r);
		for (uint32_t n = 1 + random_below(&seed, 2); n-- > 0;) {
			uint32_t first = 1 + random_below(&seed, 16),
				 last = first + random_below(&seed, 9);
			struct block b = block_of(first < 9 ? "validate" : "add", first, last);

			repair_add(&r, &b);
		}
		expected = naive_check(f, &m.t, &r);
		assert_int_equal(checker_eliminates(c, checker_add(c, &r)), expected);
		yes += expected;
		no += !expected;
		repair_free(&r);
		maker_free(&m);
	}
	assert_true(yes > 200 && no > 200);
	order_free(&o);
	checker_free(c);
	flows_free(f);
}

static void test_numbering_adds_keys(void **state)
{
	struct numbering m = { 0 };
	bool added;

	(void)state;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < 3000; i++) {
			uint32_t key[3] = { i / 7, i % 7, 0 };

			assert_int_equal(numbering_add(&m, key, i % 2 ? 12 : 9, &added), i);
			assert_int_equal(added, pass == 0);
		}
	numbering_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlapping_blocks_merge),
		cmocka_unit_test(test_lists_keep_the_minimal),
		cmocka_unit_test(test_block_begins_at_the_call),
		cmocka_unit_test(test_block_in_the_callee),
		cmocka_unit_test(test_widened_to_the_loop),
		cmocka_unit_test(test_called_again_by_the_callers_loop),
		cmocka_unit_test(test_merged_statements),
		cmocka_unit_test(test_widened_without_source_text),
		cmocka_unit_test(test_statements_on_one_line_are_one_line),
		cmocka_unit_test(test_unknown_positions_have_no_block),
		cmocka_unit_test(test_block_in_a_loop_is_entered_anew),
		cmocka_unit_test(test_leaving_ends_the_instance),
		cmocka_unit_test(test_random_against_definition),
		cmocka_unit_test(test_numbering_adds_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
