/* SPDX-License-Identifier: MIT
 *
 * The reader of run directories on cut, unfinished and damaged ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace_cases.h"

static unsigned readable_classes(const struct writer *w)
{
	struct error e = { "" };
	struct run *run = open_run(w);
	int rc;
	unsigned n = count_classes(run, &e, &rc);

	if (rc)
		fail_msg("%s", e.message);
	run_close(run);
	return n;
}

/* Cut anywhere, as by a full disk, the trace is shorter but not broken. */
static void test_cut(void **state)
{
	struct writer w;
	unsigned last = 0;

	write_classes(&w);
	for (size_t cut = 0; cut <= w.used; cut++) {
		unsigned n;

		writer_trace_bytes(&w, w.data, cut);
		n = readable_classes(&w);
		assert_true(n >= last);
		last = n;
	}
	assert_int_equal(last, 3);
	writer_remove(&w);
}

/* A writer that was killed has written a body, but not its type byte; the rest of its mapping is
 * zeros. */
static void test_killed_writer(void **state)
{
	unsigned char data[100000] = { 0 };
	size_t at = LP_TRACE_HEADER, records = 0;
	unsigned classes = 0;
	struct writer w;

	write_classes(&w);
	assert_true(w.used < sizeof data);
	while (at < w.used) {
		size_t body = at + 2;

		assert_true(w.data[at + 1] < 0x80);
		memcpy(data, w.data, body + w.data[at + 1] / 2);
		data[at] = 0;
		writer_trace_bytes(&w, data, sizeof data);
		assert_int_equal(readable_classes(&w), classes);
		classes += w.data[at] == LP_REC_CLASS;
		at = body + w.data[at + 1];
		records++;
	}
	assert_true(records > 20);
	assert_int_equal(classes, 3);
	writer_remove(&w);
}

/* Change each byte to a few others: there must be no crash, and errors must name file and byte. */
static void test_mutations(void **state)
{
	static const unsigned char changes[] = { 0x01, 0x80, 0xff, 0x7f };
	unsigned broken = 0;
	struct writer w;

	write_classes(&w);
	for (size_t i = LP_TRACE_HEADER; i < w.used; i++) {
		for (size_t j = 0; j < sizeof changes; j++) {
			struct error e = { "" };
			struct run *run;
			int rc;

			w.data[i] ^= changes[j];
			writer_trace_bytes(&w, w.data, w.used);
			w.data[i] ^= changes[j];
			run = open_run(&w);
			count_classes(run, &e, &rc);
			if (rc < 0) {
				broken++;
				assert_non_null(strstr(e.message, "/trace: byte "));
				assert_non_null(strstr(e.message, "explore again"));
				count_classes(run, &e, &rc); /* and it stays so */
				assert_int_equal(rc, -1);
			}
			run_close(run);
		}
	}
	assert_true(broken > 100);
	writer_remove(&w);
}

static void expect_broken(struct writer *w, const char *message)
{
	struct error e = { "" };
	struct run *run;
	int rc;

	writer_close(w);
	run = open_run(w);
	count_classes(run, &e, &rc);
	assert_int_equal(rc, -1);
	if (!strstr(e.message, message))
		fail_msg("expected `%s` in: %s", message, e.message);
	run_close(run);
	writer_remove(w);
}

static void test_messages(void **state)
{
	struct writer w;

	write_tables(&w);
	class_begin(&w, 0, 1);
	class_event(&w, 99, -1);
	class_end_ok(&w);
	expect_broken(&w, "site 99, expected one of the 12 before this");

	write_tables(&w);
	class_begin(&w, 1, 0);
	class_end_ok(&w);
	expect_broken(&w, "number of kept events 1");

	write_tables(&w);
	w.classes = 4;
	class_begin(&w, 0, 0);
	class_end_ok(&w);
	expect_broken(&w, "class 5, expected number 1");

	write_tables(&w);
	class_begin(&w, 0, 1);
	class_event(&w, SPIN, -1);
	class_end_ok(&w);
	expect_broken(&w, "a site that is not one of events");

	write_tables(&w);
	class_begin(&w, 0, 1000000);
	class_end_ok(&w);
	expect_broken(&w, "1000000 events in a record of");

	write_tables(&w);
	class_begin(&w, 0, 0);
	class_byte(&w, 77);
	class_end(&w);
	expect_broken(&w, "outcome 77");

	write_tables(&w);
	class_begin(&w, 0, 0);
	class_outcome(&w, LP_OUT_OK, 0, 0, 0, 0);
	class_number(&w, 0);
	class_number(&w, 0);
	class_end(&w);
	expect_broken(&w, "expected the end of the class record");

	write_tables(&w);
	writer_record(&w, 200);
	expect_broken(&w, "record type 200");

	write_tables(&w);
	writer_numbers(&w, LP_REC_LEAKS, 3, (uint64_t)1, (uint64_t)1, (uint64_t)99);
	expect_broken(&w, "site 99");

	write_tables(&w);
	writer_context(&w, 9, 0, 0);
	expect_broken(&w, "context 8, expected none or one of the 2");
}

static void put_file(const struct writer *w, const char *name, const char *text)
{
	FILE *f = writer_file(w, name);

	fputs(text, f);
	fclose(f);
}

static void expect_no_run(const struct writer *w, const char *message)
{
	struct error e = { "" };
	struct run *run = run_open(w->directory, &e);

	assert_null(run);
	if (!strstr(e.message, message))
		fail_msg("expected `%s` in: %s", message, e.message);
}

static void test_other_files(void **state)
{
	struct writer w;
	struct error e;

	assert_null(run_open("/nonexistent/directory", &e));
	assert_non_null(strstr(e.message, "not a run directory"));

	write_classes(&w);
	put_file(&w, "run", "format 99\n");
	expect_no_run(&w, "format 99");
	put_file(&w, "run", "hello\n");
	expect_no_run(&w, "expected a line `format 1`");
	put_file(&w, "run", "format 1\nunknown key\nprogram x\\134y\n");
	put_file(&w, "modules", "0 - 10 /a b\\012c\n1 - 10");
	run_close(open_run(&w));
	put_file(&w, "modules", "0 - 10 /a b\n7 - 10 /c\n");
	expect_no_run(&w, "/modules:2: expected `1 BUILD-ID SIZE PATH`");
	put_file(&w, "modules", "0 xyz 10 /a\n");
	expect_no_run(&w, "/modules:1:");
	put_file(&w, "modules", "\n");
	expect_no_run(&w, "/modules:1:");
	put_file(&w, "modules", "");
	put_file(&w, "status", "short");
	expect_no_run(&w, "/status: not a status block");
	writer_status(&w);
	put_file(&w, "trace", "not a trace at all");
	expect_no_run(&w, "/trace: byte 0: expected \"LPTRACE\"");
	writer_trace_bytes(&w, LP_TRACE_MAGIC "\0\2\0\0\0", 12);
	expect_no_run(&w, "/trace: byte 8: trace version 2");
	writer_remove(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),         cmocka_unit_test(test_killed_writer),
		cmocka_unit_test(test_mutations),   cmocka_unit_test(test_messages),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
