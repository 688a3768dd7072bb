/* SPDX-License-Identifier: MIT
 *
 * Public histories with known verdicts: 102 logs of a compare-and-set register in etcd, 6 of a
 * key-value store. They are not part of the project; HISTORIES names the folder that holds
 * porcupine/jepsen and porcupine/kv (default
 * ../shared/histories).
 */
#include "format_cases.h"
#include "lin/lin.h"

static char *folder;

static bool is_linearizable(const char *path, const char *format)
{
	struct lin_options options = { .seconds = 60 };
	struct lin_result result;
	struct history h;
	struct error e;
	size_t size;
	char *text = read_file(path, &size, &e);
	enum lin_verdict verdict;

	if (!text)
		fail_msg("%s", e.message);
	history_init(&h);
	if (format_parse(&h, path, text, size, NULL, &e) < 0)
		fail_msg("%s", e.message);
	assert_string_equal(format_guess(text, size)->name, format);
	options.specification = format_find(format)->specification;
	if (lin_check(&h, &options, &result, &e) < 0)
		fail_msg("%s: %s", path, e.message);
	verdict = result.verdict;
	if (verdict == LIN_UNKNOWN)
		fail_msg("%s: unknown", path);
	lin_result_free(&result);
	history_free(&h);
	free(text);
	return verdict == LIN_OK;
}

static void test_etcd(void **state)
{
	static const uint8_t linearizable[] = { 2,  5,  7,  18, 25, 31, 38, 45, 48,  49,  51, 53,
						56, 67, 75, 76, 80, 87, 92, 98, 100, 101, 102 };
	size_t good = 0, files = 0;

	for (int i = 0; i <= 102; i++) {
		char *path = xasprintf("%s/porcupine/jepsen/etcd_%03d.log", folder, i);
		bool expected = memchr(linearizable, i, sizeof linearizable) != NULL;

		if (i != 95) { /* there is none, or an empty one */
			if (is_linearizable(path, "etcd") != expected)
				fail_msg("%s: wrong verdict", path);
			good += expected;
			files++;
		}
		free(path);
	}
	assert_int_equal(good, sizeof linearizable);
	assert_int_equal(files, 102);
}

static void test_kv(void **state)
{
	static const char *const names[] = { "c01-ok",  "c01-bad", "c10-ok",
					     "c10-bad", "c50-ok",  "c50-bad" };

	for (size_t i = 0; i < 6; i++) {
		char *path = xasprintf("%s/porcupine/kv/%s.txt", folder, names[i]);

		if (is_linearizable(path, "kv") != (strstr(names[i], "ok") != NULL))
			fail_msg("%s: wrong verdict", path);
		free(path);
	}
}

static void skip_without_files(void **state)
{
	print_message(
		"%s/porcupine is not there: set HISTORIES to the folder of the public histories\n",
		folder);
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_etcd),
		cmocka_unit_test(test_kv),
	};
	const struct CMUnitTest absent[] = {
		cmocka_unit_test(skip_without_files),
	};
	const char *histories = getenv("HISTORIES");
	char *probe;
	size_t size;
	char *text;
	int failed;

	folder = xstrdup(histories ? histories : "../shared/histories");
	probe = xasprintf("%s/porcupine/jepsen/etcd_000.log", folder);
	text = read_file(probe, &size, NULL);
	failed = text ? cmocka_run_group_tests(tests, NULL, NULL)
		      : cmocka_run_group_tests(absent, NULL, NULL);
	free(text);
	free(probe);
	free(folder);
	return failed;
}
