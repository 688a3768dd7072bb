/* SPDX-License-Identifier: MIT
 *
 * Canonical bytes: independent of how ids were handed out, a trace file that reads back the same,
 * and different for different executions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run/canonical.h"
#include "open_run.h"

/* Ids of the records that the execution below needs. */
struct ids {
	uint64_t write, read, call, ret, create, wait, x, object, heap, push;
};

/* One execution; `value` is what is written and read. */
static void write_class(struct writer *w, const struct ids *id, int64_t value)
{
	class_begin(w, 0, 7);
	class_event(w, id->create, -1);
	class_number(w, 1);
	class_event(w, id->call, 1);
	class_number(w, id->object);
	class_number(w, id->push);
	class_number(w, 1);
	class_signed(w, value);
	class_event(w, id->write, -1);
	class_number(w, id->x);
	class_number(w, (uint64_t)value);
	class_event(w, id->ret, -1);
	class_byte(w, 1);
	class_signed(w, -value);
	class_event(w, id->read, 0);
	class_number(w, id->x);
	class_number(w, (uint64_t)value);
	class_event(w, id->wait, -1);
	class_number(w, id->heap);
	class_number(w, id->x);
	class_event(w, id->read, 1);
	class_number(w, id->heap);
	class_number(w, 9);
	class_outcome(w, LP_OUT_DEADLOCK, 1, id->read + 1, 0, id->push + 1);
	class_number(w, 1);
	class_number(w, 1);
	class_number(w, id->write + 1);
	class_number(w, id->heap + 1);
	class_number(w, 0 + 1);
	class_byte(w, LP_WAIT_LOCK);
	class_end(w);
}

/* Ids in the order of use. */
static void write_plain(struct writer *w, int64_t value)
{
	static const struct ids id = { 2, 4, 1, 3, 0, 5, 1, 0, 2, 1 };

	writer_open(w);
	writer_module(w, "/nowhere/my_test", "-");
	writer_string(w, "push");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_context(w, 0, 1, 0x1000);
	writer_site(w, LP_EV_CREATE, 0, 0, 1, 0x2000, 0);
	writer_site(w, LP_EV_CALL, 0, 0, 1, 0x2010, 0);
	writer_site(w, LP_EV_WRITE, 0, 4, 1, 0x2020, 1);
	writer_site(w, LP_EV_RETURN, 0, 0, 1, 0x2030, 0);
	writer_site(w, LP_EV_READ, 0, 4, 1, 0x2040, 1);
	writer_site(w, LP_EV_WAIT, 0, 0, 1, 0x2050, 1);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 0x4000);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 0x4010);
	writer_location(w, LP_LOC_HEAP, 1, 2, 8);
	writer_numbers(w, LP_REC_OBJECT, 2, (uint64_t)0, (uint64_t)writer_string(w, "stack"));
	write_class(w, &id, value);
	writer_close(w);
}

/* The same execution as the second class of a run that has met other things before. */
static void write_late(struct writer *w, int64_t value)
{
	static const struct ids id = { 5, 1, 4, 2, 6, 3, 3, 2, 1, 3 };

	writer_open(w);
	writer_module(w, "/nowhere/other.so", "-");
	writer_module(w, "/nowhere/my_test", "-");
	writer_string(w, "pop");
	writer_string(w, "push");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_context(w, 0, 1, 0x5000);
	writer_context(w, 0, 2, 0x1000);
	writer_site(w, LP_EV_READ, 0, 8, 1, 0x2040, 1);
	writer_site(w, LP_EV_READ, 0, 4, 2, 0x2040, 2);
	writer_site(w, LP_EV_RETURN, 0, 0, 2, 0x2030, 0);
	writer_site(w, LP_EV_WAIT, 0, 0, 2, 0x2050, 2);
	writer_site(w, LP_EV_CALL, 0, 0, 2, 0x2010, 0);
	writer_site(w, LP_EV_WRITE, 0, 4, 2, 0x2020, 2);
	writer_site(w, LP_EV_CREATE, 0, 0, 2, 0x2000, 0);
	writer_location(w, LP_LOC_OTHER, 0, 0, 0x77);
	writer_location(w, LP_LOC_HEAP, 1, 2, 8);
	writer_location(w, LP_LOC_GLOBAL, 1, 0, 0x4000);
	writer_location(w, LP_LOC_GLOBAL, 1, 0, 0x4010);
	writer_numbers(w, LP_REC_OBJECT, 2, (uint64_t)2, (uint64_t)writer_string(w, "stack"));
	class_begin(w, 0, 1);
	class_event(w, 0, -1);
	class_number(w, 0);
	class_number(w, 1);
	class_end_ok(w);
	write_class(w, &id, value);
	writer_close(w);
}

static unsigned char *canonical_of(const struct writer *w, uint64_t number, size_t *size)
{
	struct error e = { "" };
	struct run *run = open_run(w);
	struct trace t = { 0 };
	unsigned char *bytes;

	if (run_load(run, number, &t, &e) != 1)
		fail_msg("%s", e.message);
	bytes = trace_canonical(run, &t, size);
	trace_free(&t);
	run_close(run);
	return bytes;
}

/* Are these classes of two runs the same? Their sizes must be equal. Removes both runs. */
static bool same_class(struct writer *a, uint64_t number_a, struct writer *b, uint64_t number_b)
{
	size_t size_a, size_b;
	unsigned char *bytes_a = canonical_of(a, number_a, &size_a);
	unsigned char *bytes_b = canonical_of(b, number_b, &size_b);
	bool same;

	assert_int_equal(size_a, size_b);
	same = !memcmp(bytes_a, bytes_b, size_a);
	free(bytes_a);
	free(bytes_b);
	writer_remove(a);
	writer_remove(b);
	return same;
}

static void test_ids_do_not_matter(void **state)
{
	struct writer plain, late;

	write_plain(&plain, 5);
	write_late(&late, 5);
	assert_true(same_class(&plain, 1, &late, 2));
}

static void test_values_matter(void **state)
{
	struct writer five, six;

	write_plain(&five, 5);
	write_plain(&six, 6);
	assert_false(same_class(&five, 1, &six, 1));
}

static void test_reads_back(void **state)
{
	struct writer w;
	unsigned char *a, *b;
	size_t na, nb;

	write_late(&w, -3);
	a = canonical_of(&w, 2, &na);
	writer_trace_bytes(&w, a, na);
	w.used = na;
	w.modules = writer_file(&w, "modules");
	fputs("0 - 1000 /nowhere/my_test\n", w.modules);
	fclose(w.modules);
	writer_status(&w);
	b = canonical_of(&w, 1, &nb);
	assert_int_equal(na, nb);
	assert_memory_equal(a, b, na);
	free(a);
	free(b);
	writer_remove(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_do_not_matter),
		cmocka_unit_test(test_values_matter),
		cmocka_unit_test(test_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
