/* SPDX-License-Identifier: MIT
 *
 * What differs only by the id of the process.
 */
#include "run/process_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define THIS 1234 /* the process that has executed */

static void test_lines(void **state)
{
	(void)state;
	assert_true(same_but_for_process("0: push(7)", "0: push(7)", THIS, THIS));
	assert_true(same_but_for_process("0: push(77) pop()=77", "0: push(1234) pop()=1234", THIS, THIS));
	assert_false(same_but_for_process("0: push(77) pop()=78", "0: push(1234) pop()=1234", THIS, THIS));
	assert_false(same_but_for_process("0: push(77)", "0: push(1235)", THIS, THIS));
	assert_false(same_but_for_process("0: push(77)", "0: push(1234", THIS, THIS));
	assert_false(same_but_for_process("0: push(77)", "0: pop(1234)", THIS, THIS));
	/* By chance the id is a number that both have. */
	assert_true(same_but_for_process("0: push(1234) push(77)", "0: push(1234) push(1234)", THIS, THIS));
	/* In a word of a lock, in either half, and as a negative number. */
	assert_true(same_but_for_process("=2147483725", "=2147484882", THIS, THIS));
	assert_false(same_but_for_process("=77", "=2147484882", THIS, THIS));
	assert_true(same_but_for_process("=330712481797", "=5299989643269", THIS, THIS));
	assert_true(same_but_for_process("=-3", "=-3", THIS, THIS));
	/* One of some processes, the same everywhere. */
	assert_true(same_but_for_process("push(77) =77", "push(99) =99", 90, 99));
	assert_false(same_but_for_process("push(77) =78", "push(99) =99", 90, 99));
	assert_false(same_but_for_process("push(77) =77", "push(100) =100", 90, 99));
	assert_false(same_but_for_process("push(77) =77", "push(89) =89", 90, 99));
	assert_false(same_but_for_process("push(77) =77", "push(98) =99", 90, 99));
	assert_true(same_but_for_process("push(77)", "push(302)", 32760, 310));
	assert_false(same_but_for_process("push(77)", "push(320)", 32760, 310));
}

static void test_traces(void **state)
{
	struct event before[] = { { .value = { 77, 0 } }, { .value = { 5, 77 } }, { .value = { 78, 0 } } };
	struct event now[] = { { .value = { THIS, 0 } }, { .value = { 6, THIS } }, { .value = { THIS, 0 } } };
	struct operation op = { .nargs = 1, .args = { 77 } }, op_now = { .nargs = 1, .args = { THIS } };
	struct trace recorded = { .events = before, .nevents = 3, .ops = &op, .nops = 1 };
	struct trace executed = { .events = now, .nevents = 3, .ops = &op_now, .nops = 1 };

	(void)state;
	trace_take_process(&recorded, &executed, THIS);
	assert_int_equal(before[0].value[0], THIS);
	assert_int_equal(before[1].value[0], 5); /* another difference stays */
	assert_int_equal(before[1].value[1], THIS);
	assert_int_equal(before[2].value[0], 78); /* another number in its place, too */
	assert_int_equal(op.args[0], THIS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
