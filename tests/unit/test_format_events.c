/* SPDX-License-Identifier: MIT
 *
 * The rules that the files of tests/formats do not show one by one: what completions mean, where
 * values belong, how formats are told apart, limits.
 */
#include "format_cases.h"

static void test_unknown_outcome_is_pending(void **state)
{
	expect_history("etcd",
		       "0\t:invoke\t:write\t1\n0\t:info\t:write\t:timed-out\n"
		       "1\t:invoke\t:read\tnil\n1\t:ok\t:read\t1\n",
		       "0 0 - write(1)\n1 1 2 read() -> 1\n");
}

static void test_failed_cas(void **state)
{
	/* Whatever the reason. */
	expect_history("edn",
		       "{:process 0 :type :invoke :f :cas :value [1 2]}"
		       "{:process 0 :type :fail :f :cas :value [1 2]}"
		       "{:process 0 :type :invoke :f :cas :value [3 4]}"
		       "{:process 0 :type :fail :f :cas :value [3 4] :error :timeout}"
		       "{:process 0 :type :invoke :f :cas :value [5 6]}"
		       "{:process 0 :type :ok :f :cas :value [5 6]}",
		       "0 2 3 cas(5, 6) -> 1\n");
	expect_history("jsonl",
		       "{\"process\": 0, \"type\": \"invoke\", \"f\": \"cas\", \"value\": [1, 2]}\n"
		       "{\"process\": 0, \"type\": \"fail\", \"f\": \"cas\", \"value\": [1, 2]}\n",
		       "");
	/* In the tests of etcd it found another value, if no other reason is given. */
	expect_history("etcd",
		       "0\t:invoke\t:cas\t[1 2]\n0\t:fail\t:cas\t[1 2]\n"
		       "0\t:invoke\t:cas\t[1 2]\n0\t:fail\t:cas\t:timed-out\n",
		       "0 0 1 cas(1, 2) -> 0\n");
}

static void test_nil_is_a_value(void **state)
{
	expect_history("edn",
		       "{:process 0 :type :invoke :f :write :value nil}"
		       "{:process 1 :type :invoke :f :read :value nil}"
		       "{:process 0 :type :ok :f :write :value nil}"
		       "{:process 1 :type :ok :f :read :value nil}"
		       "{:process 0 :type :invoke :f :cas :value [nil 3]}"
		       "{:process 0 :type :ok :f :cas :value [nil 3]}"
		       "{:process 2 :type :invoke :f :read :value nil}"
		       "{:process 2 :type :info :f :read :value nil :error :timeout}"
		       "{:process 0 :type :invoke :f :write :value [7 nil]}"
		       "{:process 0 :type :ok :f :write :value [7 nil]}",
		       "0 0 2 object.write(empty)\n1 1 3 object.read() -> empty\n0 4 5 "
		       "object.cas(empty, 3) -> 1\n"
		       "2 6 - object.read()\n0 7 8 7.write(empty)\n");
}

static void test_failed_operation_did_not_happen(void **state)
{
	expect_history("edn",
		       "{:process 0 :type :invoke :f :enqueue :value 1}"
		       "{:process 0 :type :fail :f :enqueue :value 1}",
		       "");
}

static void test_process_goes_on_after_info(void **state)
{
	expect_error(
		"edn", "{:process 0 :type :invoke :f :read}\n{:process 0 :type :invoke :f :read}",
		"in:2:1: error: expected the completion of the operation that process 0 is in, "
		"not `{:process`");
	expect_history(
		"edn",
		"{:process 0 :type :invoke :f :write :value 1}{:process 0 :type :info :f :write}"
		"{:process 0 :type :invoke :f :write :value 2}{:process 0 :type :ok :f :write "
		":value 2}",
		"0 0 - write(1)\n0 1 2 write(2)\n");
}

static void test_violin_values_in_either_place(void **state)
{
	const char *expected = "specification queue\n0 0 1 enqueue(5)\n0 2 3 dequeue() -> 5\n";

	expect_history(
		NULL,
		"# @object atomic-queue\n[0] call enq(5)\n[0] return\n[0] call deq\n[0] return 5\n",
		expected);
	expect_history(
		NULL,
		"# @object atomic-queue\n[0] call put\n[0] return 5\n[0] call get(5)\n[0] return\n",
		expected);
}

static void test_violin_set_keeps_arguments(void **state)
{
	expect_history(NULL, "# @object atomic-set\n[0] call remove(5)\n[0] return true\n",
		       "specification set\n0 0 1 remove(5) -> 1\n");
}

static void test_numbers(void **state)
{
	expect_history("text", "0 0 1 f(-9223372036854775808 , 0x7fffffffffffffff)\n",
		       "0 0 1 f(-9223372036854775808, 9223372036854775807)\n");
	expect_history("text", "0 0 1 f(0xffffffffffffffff, +3, 007)\n", "0 0 1 f(-1, 3, 7)\n");
	expect_error(
		"text", "0 0 1 f(9223372036854775808)\n",
		"in:1:9: error: expected a number that fits 64 bits, not `9223372036854775808)`");
}

static void test_words(void **state)
{
	expect_history("text", "0 0 1 f nil NULL None Empty -> nill\n",
		       "0 0 1 f(empty, empty, empty, empty) -> nill\n");
	expect_history("text", "0 0 1 f(\"nil\", \"7\", \"?\", \"\") -> \"true\"\n",
		       "0 0 1 f(\"nil\", \"7\", \"?\", \"\") -> \"true\"\n");
}

static void test_many_operation_names(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (int i = 0; i < 4097; i++)
		fprintf(to, "0 %d %d m%d\n", i, i, i);
	fclose(to);
	expect_error("text", text,
		     "in:4097:13: error: expected at most 4096 different operations, not `m4096`");
	free(text);
}

static void test_guesses(void **state)
{
	static const struct {
		const char *text, *format;
	} cases[] = {
		{ "", "text" },
		{ "#thread call return\n0 1 2 f", "text" },
		{ "0 1 - f", "text" },
		{ "object s stack", "text" },
		{ "thread,call,return,op\n", "csv" },
		{ "\"op\",\"start\",\"end\",\"client\"\n", "csv" },
		{ "  {\"a\"", "jsonl" },
		{ "{:process", "edn" },
		{ "[ { :process", "edn" },
		{ "#jepsen.history.Op{:process", "edn" },
		{ "{:key 1 :process 0}", "kv" },
		{ "{:process 0 :value 1}\n{:key 1}", "edn" },
		{ "INFO x - 1\t:invoke\t:read\tnil", "etcd" },
		{ "# note\n[12] call push", "violin" },
		{ "# @object atomic-stack\n", "violin" },
		{ "1 2", NULL },
		{ "hello", NULL },
		{ "[1] 2", NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct format *format = format_guess(cases[i].text, strlen(cases[i].text));

		if (!cases[i].format) {
			assert_null(format);
			continue;
		}
		assert_non_null(format);
		assert_string_equal(format->name, cases[i].format);
	}
}

static void test_names(void **state)
{
	for (size_t i = 0; format_at(i); i++)
		assert_ptr_equal(format_find(format_at(i)->name), format_at(i));
	assert_null(format_find("xml"));
}

static void test_lines(void **state)
{
	const char *text = "\n# one\n0 1 2 f\n\n0 3 4 g\n";
	struct history h;
	struct error e;

	history_init(&h);
	assert_int_equal(format_parse(&h, "in", text, strlen(text), NULL, &e), 0);
	assert_int_equal(h.nops, 2);
	assert_int_equal(h.ops[0].line, 3);
	assert_int_equal(h.ops[1].line, 5);
	history_free(&h);
	text = "thread,call,return,op,arg\n0,1,2,f,\"a\n\nb\"\n0,3,4,g,\n";
	history_init(&h);
	assert_int_equal(format_parse(&h, "in", text, strlen(text), NULL, &e), 0);
	assert_int_equal(h.ops[0].line, 2);
	assert_int_equal(h.ops[1].line, 5);
	assert_string_equal(h.strings[h.ops[0].args[0].v], "a\n\nb");
	history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_outcome_is_pending),
		cmocka_unit_test(test_failed_cas),
		cmocka_unit_test(test_nil_is_a_value),
		cmocka_unit_test(test_failed_operation_did_not_happen),
		cmocka_unit_test(test_process_goes_on_after_info),
		cmocka_unit_test(test_violin_values_in_either_place),
		cmocka_unit_test(test_violin_set_keeps_arguments),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_many_operation_names),
		cmocka_unit_test(test_guesses),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
