/* SPDX-License-Identifier: MIT
 *
 * Option tables: values of every type, both spellings, where options end, and each kind of mistake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "command/options.h"

static bool flag;
static const char *text, *choice;
static uint64_t number;
static double seconds;

static const struct option_row rows[] = {
	{ "flag", 'f', OPTION_FLAG, NULL, &flag, "a flag" },
	{ "text", 't', OPTION_TEXT, "TEXT", &text, "a text" },
	{ "choice", 0, OPTION_CHOICE, "one|two|three", &choice, "a choice" },
	{ "number", 'n', OPTION_NUMBER, "N", &number, "a number" },
	{ "seconds", 0, OPTION_SECONDS, "SECONDS", &seconds, "a time" },
};

static enum options_end parse(bool stop, int least, int most, int *first, int argc, ...)
{
	const struct option_table table = {
		.usage = "test",
		.about = "about",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = least,
		.most = most,
		.stop = stop,
	};
	char *argv[16] = { "test" };
	va_list args;

	flag = false;
	text = choice = NULL;
	number = 0;
	seconds = 0;
	va_start(args, argc);
	for (int i = 0; i < argc; i++)
		argv[i + 1] = va_arg(args, char *);
	va_end(args);
	return options_parse(&table, argc + 1, argv, first);
}

static void test_values(void **state)
{
	int first;

	assert_int_equal(parse(false, 0, 0, &first, 5, "-f", "--text=a b", "--choice=two",
			       "--number=17", "--seconds=.5"),
			 OPTIONS_OK);
	assert_true(flag);
	assert_string_equal(text, "a b");
	assert_string_equal(choice, "two");
	assert_int_equal(number, 17);
	assert_true(seconds == 0.5);
	assert_int_equal(
		parse(false, 0, 0, &first, 4, "-tx", "-n", "18446744073709551615", "--flag"),
		OPTIONS_OK);
	assert_string_equal(text, "x");
	assert_true(number == UINT64_MAX);
	assert_true(flag);
}

static void test_end_of_options(void **state)
{
	int first;

	assert_int_equal(parse(true, 1, -1, &first, 3, "-f", "program", "-n"), OPTIONS_OK);
	assert_int_equal(first, 2);
	assert_int_equal(parse(true, 1, -1, &first, 4, "-f", "--", "--program", "--flag"),
			 OPTIONS_OK);
	assert_int_equal(first, 3);
	assert_int_equal(parse(false, 1, 1, &first, 3, "directory", "-n", "3"), OPTIONS_OK);
	assert_int_equal(number, 3);
	assert_int_equal(first, 3);
}

static void test_mistakes(void **state)
{
	static const char *const wrong[] = {
		"--unknown",    "-x",
		"--flag=1",     "--choice=four",
		"--choice=",    "--choice=on",
		"--number=-1",  "--number=x",
		"--number=1x",  "--number=",
		"--number",     "-n",
		"--seconds=-1", "--seconds=inf",
		"--seconds=1s", "--number=18446744073709551616",
		"--seconds=",   "--seconds=.",
		"--seconds=1.5.", "--seconds=0x10",
		"--seconds=1e3", "--seconds= 1",
		"--seconds=nan", "--seconds=1000000001",
	};
	int first;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(parse(false, 0, 0, &first, 1, wrong[i]), OPTIONS_ERROR);
	assert_int_equal(parse(false, 2, 2, &first, 1, "one"), OPTIONS_ERROR);
	assert_int_equal(parse(false, 0, 1, &first, 2, "one", "two"), OPTIONS_ERROR);
}

static void test_help(void **state)
{
	int first;

	assert_int_equal(parse(false, 1, 1, &first, 1, "--help"), OPTIONS_HELP);
	assert_int_equal(parse(true, 1, 1, &first, 2, "-f", "-h"), OPTIONS_HELP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_end_of_options),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
