/* SPDX-License-Identifier: MIT
 *
 * Traces as text: the dump, the history, which accesses conflict, tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_cases.h"

static void test_dump(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	load_duplicate_pop(&b, &t, true);
	text = dump(&b, &t, &plain);
	expect(text, "class 1: 13 events, 3 operations\n", "event", "place", "function", "T0",
	       "T0.1", "T0.2", "create T0.1\n", "call push(7)\n", "program.c:20", "push",
	       "  atomic update range 0 -> 1\n", "program.c:21", "  write items[0] = 7\n",
	       "return push(7)\n", "call pop()\n", "program.c:25", "pop",
	       "  atomic read acquire items[0] = 7\n", "return pop() = 7\n",
	       "  write items[0] = -1\n", "outcome: ok\n", NULL);
	expect(text, "!\033", NULL);
	expect(text, "! \n", NULL);
	done(&b, &t, text);
}

static unsigned widest(const char *text)
{
	unsigned most = 0;

	while (*text) {
		unsigned n = (unsigned)strcspn(text, "\n");

		if (n > most)
			most = n;
		text += n + (text[n] != '\0');
	}
	return most;
}

static void test_dump_on_terminal(void **state)
{
	struct text_style s = { .width = 130, .color = false };
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	load_duplicate_pop(&b, &t, false);
	text = dump(&b, &t, &s);
	assert_true(widest(text) <= s.width);
	expect(text, "T0.1", "T0.2", "...", NULL);
	free(text);
	s.width = 60; /* a list with the names of threads */
	text = dump(&b, &t, &s);
	expect(text, "event", "thread", "what\n", "T0.1", NULL);
	free(text);
	s = (struct text_style){ .width = 0, .color = true };
	text = dump(&b, &t, &s);
	expect(text, "\033[", "\033[0m", NULL);
	done(&b, &t, text);
}

static void test_history(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;
	size_t size;
	FILE *f;

	load_duplicate_pop(&b, &t, true);
	f = open_memstream(&text, &size);
	trace_text_history(f, &plain, b.map, b.run, &t, 0);
	fclose(f);
	assert_string_equal(text, "T0       T0.1       T0.2\n"
				  "push(7)\n"
				  "         pop() ...\n"
				  "                    pop() never returned\n"
				  "         ... = 7\n");
	done(&b, &t, text);
}

static void test_conflicting(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	bool *c;

	load_duplicate_pop(&b, &t, false);
	c = trace_conflicting(&t);
	for (uint32_t i = 0; i < t.nevents; i++) {
		bool any = false;

		for (uint32_t j = 0; j < t.nevents; j++)
			any |= events_conflict(&t.events[i], &t.events[j]);
		assert_int_equal(c[i], any);
	}
	assert_false(c[3]);
	assert_true(c[4]);
	free(c);
	done(&b, &t, NULL);
}

static void test_values(void **state)
{
	static const struct {
		uint64_t value;
		unsigned size;
		const char *text;
	} cases[] = {
		{ 0, 4, "0" },           { 255, 1, "-1" },
		{ 0xffffffff, 4, "-1" }, { 0xffffffff, 8, "0xffffffff" },
		{ UINT64_MAX, 8, "-1" }, { 0x7f0012345678, 8, "0x7f0012345678" },
		{ 12345, 2, "12345" },
	};
	char buffer[32];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		text_value(buffer, sizeof buffer, cases[i].value, cases[i].size);
		assert_string_equal(buffer, cases[i].text);
	}
}

static void test_table(void **state)
{
	const struct text_style s = { .width = 34 };
	struct text_table table;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	table_init(&table, 2);
	table_column(&table, 0, "left", TEXT_PLAIN);
	table_row(&table);
	table_set(&table, 0, xstrdup("ein Tür"));
	table_set(&table, 1, xstrdup("zwölf Boxkämpfer jagen Viktor"));
	table_row(&table);
	table_set(&table, 0, xstrdup("abc"));
	table_print(f, &s, &table, 2);
	fclose(f);
	assert_string_equal(text, "  left\n"
				  "  ein Tür  zwölf Boxkämpfer jag...\n"
				  "  abc\n");
	free(text);
	table_free(&table);
}

/* A name is cut before its value is; but not to nothing. */
static void test_cut_before_value(void **state)
{
	const struct text_style s = { .width = 30 };
	struct text_table table;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	table_init(&table, 2);
	table_row(&table);
	table_set(&table, 0, xstrdup("return fetch_inc() = 11"));
	table_set(&table, 1, xstrdup("call fetch_inc() at the end"));
	table_row(&table);
	table_set(&table, 0, xstrdup("f() = a very long value indeed"));
	table_print(f, &s, &table, 0);
	fclose(f);
	assert_string_equal(text, "return... = 11  call fetch_...\n"
				  "f() = a ver...\n");
	free(text);
	table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump),    cmocka_unit_test(test_dump_on_terminal),
		cmocka_unit_test(test_history), cmocka_unit_test(test_conflicting),
		cmocka_unit_test(test_values),  cmocka_unit_test(test_table),
		cmocka_unit_test(test_cut_before_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
