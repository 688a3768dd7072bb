/* SPDX-License-Identifier: MIT
 *
 * Witnesses, their sentences, and linearizations.
 */
#include "lin_text.h"

/* Checks the witness (positions as text) and that the sentence contains the words. */
static void witness_of(const char *spec, const char *text, const char *witness, const char *why)
{
	struct lin_options o = { .specification = spec, .witness = true };
	struct lin_result r;
	struct history h;
	struct error e;
	char found[256] = "";

	lin_text(&h, text);
	if (lin_check(&h, &o, &r, &e))
		fail_msg("%s", e.message);
	assert_int_equal(r.verdict, LIN_VIOLATION);
	for (size_t i = 0; i < r.nwitness; i++)
		snprintf(found + strlen(found), sizeof found - strlen(found), "%s%u", i ? " " : "",
			 r.witness[i]);
	assert_string_equal(found, witness);
	assert_non_null(r.why);
	if (!strstr(r.why, why))
		fail_msg("\"%s\" is not in \"%s\"", why, r.why);
	lin_result_free(&r);
	history_free(&h);
}

static void sentences(void **state)
{
	witness_of("queue",
		   "enq 1 [1,2]; enq 2 [3,4]; enq 3 [5,6]; deq -> 1 [7,8]; deq -> 3 [9,10]; deq -> "
		   "2 [11,12]",
		   "1 2 4 5",
		   "deq -> 3 returned before deq -> 2 began, though enq(2) finished before enq(3) "
		   "started");
	witness_of("queue", "enq 1 [1,2]; enq 2 [3,4]; deq -> 2 [5,6]", "0 1 2",
		   "its value was never taken out");
	witness_of("queue", "enq 1 [1,2]; enq 2 [3,4]; deq -> empty [5,6]; deq -> 1 [7,8]", "1 2",
		   "deq -> empty, though the queue was not empty at any moment of it: "
		   "enq(2) had finished before it began");
	witness_of("stack", "push 1 [1,2]; pop -> 1 [3,4]; push 2 [5,6]; pop -> 1 [7,8]", "0 1 3",
		   "1 was taken out twice (pop -> 1), but put in once, by push(1)");
	witness_of("stack", "push 1 [1,2]; pop -> 7 [3,4]", "1",
		   "pop -> 7 returned a value that was never put in");
	witness_of("stack", "pop -> 1 [1,2]; push 1 [3,4]; push 2 [5,6]", "0 1",
		   "pop -> 1 returned before push(1) began");
	witness_of("stack", "push 9 [1,2]; push 4 [5,6]; push 3 [7,8]; pop -> 4 [11,16]", "1 2 3",
		   "it has to be next, but would return 3");
	witness_of("pqueue-min",
		   "insert 5 [1,2]; insert 3 [3,4]; insert 1 [3,4]; pop -> 5 [5,6]; pop -> 1 [7,8]",
		   "0 1 3", "it has to be next, but would return 3");
	witness_of(
		"set",
		"add 1 -> 1 [1,2]; add 2 -> 1 [3,4]; contains 2 -> 1 [3,4]; contains 2 -> 0 [5,6]",
		"1 3", "contains(2) -> false");
	witness_of(
		"register(0)",
		"write 1 [1,2]; read -> 1 [3,4]; write 2 [5,6]; read -> 1 [7,8]; read -> 2 [9,9]",
		"0 2 3",
		"read -> 1, but write(2) had finished after 1 was written and before it began");
}

/* Registers, and maps, whose keys are registers. */
static void register_sentences(void **state)
{
	witness_of("register(0)", "write 1 [1,2]; read -> 0 [3,4]", "0 1",
		   "read -> 0, but write(1) had finished before it began, and nothing wrote 0 "
		   "again");
	witness_of("register(0)", "write 1 [1,9]; read -> 1 [2,3]; read -> 0 [4,5]", "0 1 2",
		   "read -> 0, but read -> 1 had seen another value before it began");
	witness_of("register(0)", "write 1 [1,2]; write 2 [3,12]; read -> 2 [4,5]; read -> 1 [6,7]",
		   "0 1 2 3",
		   "read -> 1, but read -> 2 had seen another value after 1 was written");
	witness_of("register(5)", "write 1 [1,2]; read -> 7 [3,4]", "1",
		   "read -> 7, but nothing had written 7 by then, and the register began with 5");
	witness_of("register(0)", "read -> 1 [1,2]; write 1 [3,4]; read -> 1 [5,6]", "0",
		   "read -> 1, but nothing had written 1 by then");
	witness_of("cas-register(0)", "cas 0 1 -> 1 [1,4]; cas 0 2 -> 1 [2,3]", "0 1",
		   "two operations replaced 0, but it was there only once: cas(0, 1) -> true "
		   "(thread 1) and cas(0, 2) -> true (thread 2)");
	witness_of("map", "put 1 5 [1,2]; get 1 -> empty [3,4]", "0 1",
		   "get(1) -> nothing, but put(1, 5) had finished before it began");
	witness_of("register(0)",
		   "write 1 [1,10]; write 2 [1,10]; read -> 1 [2,3]; read -> 2 [2,3]; read -> 2 "
		   "[4,5]; read -> 1 [4,5]",
		   "0 1 2 3 4 5", "neither 2 nor 1 was written twice");
	witness_of("register(0)",
		   "write 1 [1,2]; write 2 [3,4]; write 1 [5,6]; write 3 [7,8]; read -> 1 [9,10]",
		   "0 1 2 3 4",
		   "read -> 1, but each time that 1 was written something else followed before it "
		   "began: write(1), then write(2); write(1), then write(3)");
	witness_of("cas-register(0)", "cas 0 1 -> 1 [1,2]; cas 1 2 -> 0 [3,4]", "0 1",
		   "it has to be next, but would return true");
}

static void counter_sentences(void **state)
{
	witness_of("counter", "inc [1,2]; inc [3,4]; read -> 1 [5,6]; inc [7,8]", "0 1 2",
		   "read -> 1, but the counter was at least 2 when it began: it started at 0, and "
		   "these had finished: inc, inc");
	witness_of("counter(4)", "inc [1,3]; read -> 6 [2,5]; inc [6,7]", "0 1",
		   "read -> 6, but the counter was at most 5 until it returned: it started at 4, "
		   "and only these had begun: inc");
	witness_of("counter", "fetch_inc -> 0 [1,4]; fetch_inc -> 0 [2,3]", "0 1",
		   "two operations returned 0, but only one can be the first: fetch_inc -> 0 "
		   "(thread 1) and fetch_inc -> 0 (thread 2)");
	witness_of("counter", "inc -> 2 [1,4]; inc -> 2 [2,3]; inc -> 1 [4,5]", "0 1 2",
		   "two operations returned 2, but the counter only goes up");
	witness_of(
		"counter", "fetch_inc -> 1 [2,3]; fetch_inc -> 0 [4,5]", "0",
		"fetch_inc -> 1, but the counter was at most 0 until it returned: it started at 0");
	witness_of("counter", "inc [1,9]; fetch_inc -> 1 [2,3]; fetch_inc -> 0 [4,5]", "0 1 2",
		   "fetch_inc -> 0 began after fetch_inc -> 1 had returned, and the counter only "
		   "goes up");
	witness_of("counter", "inc [1,2]; dec [3,4]; read -> 3 [5,6]", "0 1 2",
		   "it has to be next, but would return 0");
}

/* A long history with one mistake: the witness is minimal. */
static void long_history(void **state)
{
	struct lin_options o = { .specification = "stack", .witness = true };
	struct lin_result r;
	struct history h;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = 0; i < 5000; i++) {
		struct history_op *op = history_add(&h);

		op->method = history_method(&h, i % 4 < 2 ? "push" : "pop");
		op->call = 2 * i;
		op->ret = 2 * i + 1;
		if (i % 4 < 2)
			op->args[op->nargs++] = (struct value){ VALUE_INT, i };
		else
			op->result = (struct value){ VALUE_INT, i % 4 == 2 ? i - 1 : i - 3 };
	}
	h.ops[4002].result.v = 4000;
	h.ops[4003].result.v = 4001;
	for (int general = 0; general < 2; general++) {
		o.general_only = general;
		assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
		assert_int_equal(r.verdict, LIN_VIOLATION);
		assert_int_equal(r.nwitness, 4);
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(r.witness[i], 4000 + i);
		lin_result_free(&r);
	}
	history_free(&h);
}

static void linearizations(void **state)
{
	struct lin_options o = { .specification = "map", .linearization = true };
	struct lin_result r;
	struct history h;

	/* Two keys, one put that has to come late, and a read without a result. */
	lin_text(&h, "put 1 5 [1,9]; get 1 -> empty [2,3]; put 2 6 [4,5]; get 1 -> 5 [6,7]; get 2 "
		     "-> ? [8,8]");
	assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
	assert_int_equal(r.verdict, LIN_OK);
	assert_int_equal(r.norder, 5);
	assert_int_equal(r.order[0], 1);
	for (size_t i = 0; i < r.norder; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(h.ops[r.order[i]].ret >= h.ops[r.order[k]].call);
	lin_result_free(&r);
	history_free(&h);
}

/* A monitor has a verdict where the search for an order runs out of memory. */
static void no_linearization(void **state)
{
	struct lin_options o = { .specification = "queue", .linearization = true, .memory = 1 };
	struct lin_result r;
	struct history h;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = 0; i < 14; i++) {
		struct history_op *op = history_add(&h);

		/* All are added at the same time, and removed in reverse order. */
		op->method = history_method(&h, i < 7 ? "enq" : "deq");
		op->call = i < 7 ? i : 2 * i + 100;
		op->ret = i < 7 ? 100 : 2 * i + 101;
		if (i < 7)
			op->args[op->nargs++] = (struct value){ VALUE_INT, i };
		else
			op->result = (struct value){ VALUE_INT, 13 - i };
	}
	assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
	assert_int_equal(r.verdict, LIN_OK);
	assert_null(r.order);
	lin_result_free(&r);
	o.memory = 0;
	assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
	assert_int_equal(r.norder, 14);
	lin_result_free(&r);
	history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),         cmocka_unit_test(register_sentences),
		cmocka_unit_test(counter_sentences), cmocka_unit_test(long_history),
		cmocka_unit_test(linearizations),    cmocka_unit_test(no_linearization),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
