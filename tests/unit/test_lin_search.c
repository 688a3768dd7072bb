/* SPDX-License-Identifier: MIT
 *
 * The general search: bounds, many running operations, workers, large histories.
 */
#include "lin_text.h"

static void add(struct history *h, const char *name, int64_t call, int64_t ret, int64_t argument,
		int64_t result)
{
	struct history_op *op = history_add(h);

	op->method = history_method(h, name);
	op->call = call;
	op->ret = ret;
	if (argument >= 0)
		op->args[op->nargs++] = (struct value){ VALUE_INT, argument };
	if (result >= 0)
		op->result = (struct value){ VALUE_INT, result };
}

/* n adds at the same time, then a remove of what was never added: every order has to be tried. */
static void hard(struct history *h, int n)
{
	history_init(h);
	history_object(h, "object", NULL);
	for (int i = 0; i < n; i++)
		add(h, "enq", 1, 10, i, -1);
	add(h, "deq", 11, 12, -1, 0);
	add(h, "deq", 13, 14, -1, 1000);
}

static enum lin_verdict check(const struct history *h, const struct lin_options *o, size_t *norder)
{
	struct lin_result r;
	enum lin_verdict verdict;
	struct error e;

	if (lin_check(h, o, &r, &e))
		fail_msg("%s", e.message);
	verdict = r.verdict;
	if (norder)
		*norder = r.norder;
	lin_result_free(&r);
	return verdict;
}

static void out_of_time(void **state)
{
	struct lin_options o = { .specification = "queue", .general_only = true, .seconds = 0.05 };
	double before = now_seconds();
	struct history h;
	size_t norder;

	hard(&h, 40);
	assert_int_equal(check(&h, &o, &norder), LIN_UNKNOWN);
	assert_int_equal(norder, 41);
	assert_true(now_seconds() - before < 20);
	o.workers = 3;
	assert_int_equal(check(&h, &o, &norder), LIN_UNKNOWN);
	history_free(&h);
}

static void out_of_memory(void **state)
{
	struct lin_options o = { .specification = "queue",
				 .general_only = true,
				 .memory = 1 << 16 };
	struct history h;
	size_t norder;

	hard(&h, 40);
	assert_int_equal(check(&h, &o, &norder), LIN_UNKNOWN);
	assert_int_equal(norder, 41);
	history_free(&h);
}

static void workers_agree(void **state)
{
	struct lin_options o = { .specification = "queue", .general_only = true };
	struct history h;

	hard(&h, 7);
	for (o.workers = 1; o.workers <= 4; o.workers++)
		assert_int_equal(check(&h, &o, NULL), LIN_VIOLATION);
	/* Also where an order exists, but is found only at the end of a long search. */
	for (int i = 0; i < 7; i++)
		h.ops[i].args[0].v = 7 - i;
	h.nops = 7;
	for (int i = 1; i <= 7; i++)
		add(&h, "deq", 10 + 2 * i, 11 + 2 * i, -1, i);
	for (o.workers = 1; o.workers <= 4; o.workers++)
		assert_int_equal(check(&h, &o, NULL), LIN_OK);
	history_free(&h);
}

/* More operations at once than a mask of 64 bits holds; equal ones are interchangeable. */
static void many_at_once(void **state)
{
	struct lin_options o = { .specification = "counter", .general_only = true };
	struct history h;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = 0; i < 100; i++)
		add(&h, "add", 1, i % 17 ? 10 : TIME_PENDING, 1 + i % 2, -1);
	add(&h, "read", 11, 12, -1, 150);
	assert_int_equal(check(&h, &o, NULL), LIN_OK);
	h.ops[100].result.v = 141;
	assert_int_equal(check(&h, &o, NULL), LIN_OK);
	h.ops[100].result.v = 140;
	assert_int_equal(check(&h, &o, NULL), LIN_VIOLATION);
	h.ops[100].result.v = 151;
	assert_int_equal(check(&h, &o, NULL), LIN_VIOLATION);
	history_free(&h);
}

/* Two threads on a set with many keys; the mistake is in one key only. */
static void many_parts(void **state)
{
	struct lin_options o = { .specification = "set", .workers = 2, .witness = true };
	struct lin_result r;
	struct history h;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = 0; i < 20000; i++)
		add(&h, i / 500 % 2 ? "remove" : "add", 2 * i, 2 * i + 3, i % 500, 1);
	assert_int_equal(check(&h, &o, NULL), LIN_OK);
	h.ops[12345].result.v = 0;
	h.ops[7000].result.v = 0;
	for (o.workers = 0; o.workers < 3; o.workers++) {
		assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
		assert_int_equal(r.verdict, LIN_VIOLATION);
		for (size_t i = 0; i < r.nwitness; i++)
			assert_int_equal(h.ops[r.witness[i]].args[0].v, 0);
		lin_result_free(&r);
	}
	history_free(&h);
}

/* The order of the operations in the history does not matter, only their times. */
static void any_order_in_memory(void **state)
{
	struct lin_options o = { .specification = "queue" };
	struct history h;
	int n = 3000;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = n - 1; i >= 0; i--) {
		add(&h, "deq", 4 * i + 3, 4 * i + 8, -1, i);
		add(&h, "enq", 4 * i, 4 * i + 2, i, -1);
	}
	assert_int_equal(check(&h, &o, NULL), LIN_OK);
	o.general_only = true;
	assert_int_equal(check(&h, &o, NULL), LIN_OK);
	h.ops[2000].result.v = h.ops[1000].result.v;
	assert_int_equal(check(&h, &o, NULL), LIN_VIOLATION);
	history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(out_of_time),   cmocka_unit_test(out_of_memory),
		cmocka_unit_test(workers_agree), cmocka_unit_test(many_at_once),
		cmocka_unit_test(many_parts),    cmocka_unit_test(any_order_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
