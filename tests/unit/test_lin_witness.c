/* SPDX-License-Identifier: MIT
 *
 * Witnesses, their sentences, and linearizations.
 */
#include "lin_text.h"

/* Checks the witness (positions as text) and that the sentence has the words in it. */
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
		   "it would return 3");
	witness_of("pqueue-min",
		   "insert 5 [1,2]; insert 3 [3,4]; insert 1 [3,4]; pop -> 5 [5,6]; pop -> 1 [7,8]",
		   "0 1 3", "it would return 3");
	witness_of(
		"set",
		"add 1 -> 1 [1,2]; add 2 -> 1 [3,4]; contains 2 -> 1 [3,4]; contains 2 -> 0 [5,6]",
		"1 3", "contains(2) -> false");
	witness_of(
		"register(0)",
		"write 1 [1,2]; read -> 1 [3,4]; write 2 [5,6]; read -> 1 [7,8]; read -> 2 [9,9]",
		"0 2 3", "read -> 1");
	witness_of("counter", "inc [1,2]; inc [3,4]; read -> 1 [5,6]; inc [7,8]", "0 1 2",
		   "it would return 2");
}

/* A long history with one mistake: the witness is as short as by hand. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences),
		cmocka_unit_test(long_history),
		cmocka_unit_test(linearizations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
