/* SPDX-License-Identifier: MIT
 *
 * The files of tests/formats: the right histories, the right messages, and no crash on damaged
 * files.
 */
#include "format_cases.h"

#include <dirent.h>

#define CORPUS "tests/formats/"

static char *corpus_file(const char *folder, const char *name, size_t *size)
{
	char *path = xasprintf(CORPUS "%s/%s", folder, name);
	struct error e;
	char *text = read_file(path, size, &e);

	if (!text)
		fail_msg("%s", e.message);
	free(path);
	return text;
}

/* Calls `each` for the files of a folder; the number of files. */
static int for_each_file(const char *folder, void (*each)(const char *folder, const char *name))
{
	char *path = xasprintf(CORPUS "%s", folder);
	DIR *d = opendir(path);
	int n = 0;

	if (!d)
		fail_msg("%s cannot be opened", path);
	for (struct dirent *entry; (entry = readdir(d));) {
		if (entry->d_name[0] == '.')
			continue;
		each(folder, entry->d_name);
		n++;
	}
	closedir(d);
	free(path);
	return n;
}

static void check_good(const char *folder, const char *name)
{
	size_t size, expected_size;
	char *text = corpus_file(folder, name, &size);
	char *expected = corpus_file("expect", name, &expected_size), *again, *got;
	const struct format *format = format_guess(text, size);
	struct history h;
	struct error e = { "" };

	assert_non_null(format);
	assert_string_equal(format->name, strrchr(name, '.') + 1);
	history_init(&h);
	if (format_parse(&h, name, text, size, NULL, &e) < 0)
		fail_msg("%s", e.message);
	got = history_text(&h);
	assert_string_equal(got, expected);
	history_free(&h);

	/* What is written is read back as the same. */
	history_init(&h);
	if (format_parse(&h, name, got, strlen(got), &format_text, &e) < 0)
		fail_msg("%s", e.message);
	again = history_text(&h);
	assert_string_equal(again, expected);
	history_free(&h);
	free(again);
	free(got);
	free(expected);
	free(text);
}

static void test_good(void **state)
{
	assert_true(for_each_file("good", check_good) > 0);
}

static void count(const char *folder, const char *name) {}

static void test_broken(void **state)
{
	size_t size;
	struct error e;
	char *expected = read_file(CORPUS "broken.expect", &size, &e), *save;
	int n = 0;

	assert_non_null(expected);
	for (char *line = strtok_r(expected, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *name = xstrndup(line, strcspn(line, ":"));
		char *text = corpus_file("broken", name, &size);
		struct history h;

		history_init(&h);
		if (format_parse(&h, name, text, size, NULL, &e) == 0)
			fail_msg("%s was read", name);
		assert_string_equal(e.message, line);
		history_free(&h);
		free(text);
		free(name);
		n++;
	}
	free(expected);
	assert_int_equal(n, for_each_file("broken", count));
}

/* Reads in every format; the outcome does not matter, as long as there is one. */
static void read_anyhow(const char *text, size_t size, const struct format *format)
{
	/* An allocation of its own size, so that sanitizers see a read past the end. */
	char *copy = xmalloc(size + 1);
	struct history h;
	struct error e = { "" };

	memcpy(copy, text, size);
	copy[size] = '\0';
	history_init(&h);
	if (format_parse(&h, "damaged", copy, size, format, &e) < 0)
		assert_true(e.message[0]);
	history_free(&h);
	free(copy);
}

static void damage(const char *folder, const char *name)
{
	size_t size;
	char *text = corpus_file(folder, name, &size);
	const struct format *format = format_guess(text, size);
	size_t limit = size < 800 ? size : 800;
	static const char strange[] = "\0\n\"\\[(]){}-:#,.0\xff";

	for (size_t n = 0; n < limit; n++)
		read_anyhow(text, n, format);
	for (size_t i = 0; i < limit; i++) {
		char before = text[i];

		text[i] = strange[i % (sizeof strange - 1)];
		read_anyhow(text, limit, format);
		text[i] = before;
	}
	for (size_t i = 0; format_at(i); i++)
		read_anyhow(text, size, format_at(i));
	free(text);
}

static void test_damaged(void **state)
{
	for_each_file("good", damage);
	for_each_file("broken", damage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
