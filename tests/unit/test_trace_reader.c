/* SPDX-License-Identifier: MIT
 *
 * The reader of run directories on hand-made ones: every field, prefix sharing, random access, ends
 * and damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run_writer.h"
#include "trace.h"

enum { READ, WRITE, RMW, LOCK, CALL, RETURN, CREATE, START, WAIT, FREE, RANGE, SPIN };

/* Tables that all tests share: two threads, four locations, a site of each kind above. */
static void write_tables(struct writer *w)
{
	writer_open(w);
	writer_module(w, "/nowhere/my_test", "-");
	writer_string(w, "push");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_context(w, 0, 1, 0x1000);
	writer_context(w, 1, 1, 0x1010);
	writer_site(w, LP_EV_READ, 0, 4, 1, 0x2000, 2);
	writer_site(w, LP_EV_WRITE, LP_SITE_ATOMIC, 4, 1, 0x2004, 2);
	writer_site(w, LP_EV_RMW, LP_SITE_ATOMIC | 0x50, 8, 1, 0x2008, 2);
	writer_site(w, LP_EV_LOCK, 0, 0, 1, 0x200c, 0);
	writer_site(w, LP_EV_CALL, 0, 0, 1, 0x2010, 0);
	writer_site(w, LP_EV_RETURN, 0, 0, 1, 0x2014, 0);
	writer_site(w, LP_EV_CREATE, 0, 0, 0, 0x2018, 0);
	writer_site(w, LP_EV_START, 0, 0, 0, 0, 0);
	writer_site(w, LP_EV_WAIT, 0, 0, 1, 0x201c, 0);
	writer_site(w, LP_EV_FREE, 0, 0, 1, 0x2020, 0);
	writer_site(w, LP_EV_WRITE, LP_SITE_NOVALUE, 64, 1, 0x2024, 0);
	writer_site(w, LP_EV_NONE, 0, 0, 1, 0x2028, 0);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 0x4000);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 0x4002);
	writer_location(w, LP_LOC_HEAP, 1, 3, 8);
	writer_location(w, LP_LOC_STACK, 1, 0, 128);
	writer_location(w, LP_LOC_STACK, 1, 0, 124);
	writer_numbers(w, LP_REC_OBJECT, 2, (uint64_t)2, (uint64_t)writer_string(w, "stack"));
	writer_numbers(w, LP_REC_NOTE, 1, (uint64_t)writer_string(w, "a limit"));
}

static void call(struct writer *w, int thread, int64_t argument)
{
	class_event(w, CALL, thread);
	class_number(w, 2);
	class_number(w, 1); /* string: module path is 0 */
	class_number(w, 1);
	class_signed(w, argument);
}

static void ret(struct writer *w, int thread, unsigned kind, int64_t value)
{
	class_event(w, RETURN, thread);
	class_byte(w, kind);
	class_signed(w, value);
}

static void access_to(struct writer *w, unsigned site, int thread, unsigned location,
		      uint64_t value)
{
	class_event(w, site, thread);
	class_number(w, location);
	class_number(w, value);
}

/* Class 1: every kind of field. Class 2 shares 4 events of it, class 3 two of that. */
static void write_classes(struct writer *w)
{
	write_tables(w);
	class_begin(w, 0, 10);
	class_event(w, START, -1);
	class_event(w, CREATE, -1);
	class_number(w, 1);
	call(w, 1, -7);
	access_to(w, READ, -1, 0, 5);
	access_to(w, WRITE, 0, 1, UINT64_MAX);
	access_to(w, RMW, 1, 3, 1);
	class_number(w, 300);
	ret(w, -1, 1, -1);
	class_event(w, WAIT, 0);
	class_number(w, 0);
	class_number(w, 1);
	class_event(w, FREE, -1);
	class_number(w, 2);
	class_number(w, 1ULL << 33);
	class_event(w, RANGE, -1);
	class_number(w, 4);
	class_end_ok(w);

	class_begin(w, 4, 2);
	access_to(w, WRITE, -1, 0, 6);
	class_event(w, LOCK, -1);
	class_number(w, 0);
	class_outcome(w, LP_OUT_DEADLOCK, 1, LOCK + 1, 0, 0);
	class_number(w, 1);
	class_number(w, 1);
	class_number(w, LOCK + 1);
	class_number(w, 1);
	class_number(w, 1);
	class_byte(w, LP_WAIT_LOCK);
	class_end(w);

	class_begin(w, 2, 1);
	access_to(w, WRITE, 1, 0, 9);
	class_end_ok(w);
	writer_close(w);
}

static struct run *open_run(const struct writer *w)
{
	struct error e = { "" };
	struct run *run = run_open(w->directory, &e);

	if (!run)
		fail_msg("%s", e.message);
	return run;
}

static void check_first(const struct trace *t)
{
	assert_int_equal(t->number, 1);
	assert_int_equal(t->nevents, 10);
	assert_int_equal(t->nthreads, 2);
	assert_int_equal(t->events[0].kind, LP_EV_START);
	assert_int_equal(t->events[0].location, NONE);
	assert_int_equal(t->events[1].other, 1);
	assert_int_equal(t->events[2].thread, 1);
	assert_int_equal(t->events[3].op, 0);
	assert_int_equal(t->events[3].value[0], 5);
	assert_int_equal(t->events[3].access, 1);
	assert_int_equal(t->events[4].thread, 0);
	assert_int_equal(t->events[4].op, NONE);
	assert_true(t->events[4].value[0] == UINT64_MAX);
	assert_int_equal(t->events[5].value[0], 1);
	assert_int_equal(t->events[5].value[1], 300);
	assert_int_equal(t->events[6].op, 0);
	assert_int_equal((int64_t)t->events[6].value[0], -1);
	assert_int_equal(t->events[7].location2, 1);
	assert_int_equal(t->events[8].size, UINT32_MAX);
	assert_int_equal(t->events[9].size, 64);
	assert_int_equal(t->nops, 1);
	assert_int_equal(t->ops[0].thread, 1);
	assert_int_equal(t->ops[0].nargs, 1);
	assert_int_equal(t->ops[0].args[0], -7);
	assert_int_equal(t->ops[0].call, 2);
	assert_int_equal(t->ops[0].ret_event, 6);
	assert_int_equal(t->ops[0].ret_kind, 1);
	assert_int_equal(t->ops[0].ret, -1);
	assert_int_equal(t->outcome.kind, LP_OUT_OK);
	assert_int_equal(t->outcome.site, NONE);
	/* Overlapping bytes of one object, in globals and (counted down) on a stack. */
	assert_true(events_conflict(&t->events[3], &t->events[4]));
	assert_true(events_conflict(&t->events[5], &t->events[9]));
	assert_false(events_conflict(&t->events[3], &t->events[5]));
}

static void check_second(const struct trace *t)
{
	assert_int_equal(t->number, 2);
	assert_int_equal(t->nevents, 6);
	assert_int_equal(t->events[3].value[0], 5);
	assert_int_equal(t->events[4].thread, 1);
	assert_int_equal(t->events[4].op, 0);
	assert_int_equal(t->events[5].size, 1);
	assert_int_equal(t->nops, 1);
	assert_int_equal(t->ops[0].ret_event, NONE);
	assert_int_equal(t->ops[0].args[0], -7);
	assert_int_equal(t->outcome.kind, LP_OUT_DEADLOCK);
	assert_int_equal(t->outcome.nwaiters, 1);
	assert_int_equal(t->outcome.waiters[0].site, LOCK);
	assert_int_equal(t->outcome.waiters[0].location, 0);
	assert_int_equal(t->outcome.waiters[0].holder, 0);
	assert_int_equal(t->outcome.waiters[0].why, LP_WAIT_LOCK);
}

static void check_third(const struct trace *t)
{
	assert_int_equal(t->number, 3);
	assert_int_equal(t->nevents, 3);
	assert_int_equal(t->events[2].thread, 1);
	assert_int_equal(t->events[2].op, NONE);
	assert_int_equal(t->nops, 0);
	assert_int_equal(t->outcome.nwaiters, 0);
}

static void (*const checks[])(const struct trace *) = { check_first, check_second, check_third };

static void test_tables(void **state)
{
	struct writer w;
	struct trace t = { 0 };
	struct error e;
	struct run *run;

	write_classes(&w);
	run = open_run(&w);
	assert_string_equal(run->program, "./my_test");
	assert_string_equal(run->cwd, "/somewhere");
	assert_string_equal(run->check, "lin");
	assert_string_equal(run->search, "dpor");
	assert_int_equal(run->argc, 2);
	assert_string_equal(run->argv[1], "a b");
	assert_null(run->argv[2]);
	assert_int_equal(run->status.classes, 3);
	assert_int_equal(run->nmodules, 1);
	assert_string_equal(run->modules[0].path, "/nowhere/my_test");
	assert_int_equal(run->modules[0].size, 0x1000);
	while (run_next(run, &t, &e) > 0)
		;
	assert_int_equal(run->nsites, 12);
	assert_int_equal(run->sites[RMW].flags, LP_SITE_ATOMIC | 0x50);
	assert_int_equal(LP_SITE_ORDER(run->sites[RMW].flags), 5);
	assert_int_equal(run->sites[READ].context, 1);
	assert_int_equal(run->sites[CREATE].module, NONE);
	assert_int_equal(run->contexts[0].parent, NONE);
	assert_int_equal(run->contexts[1].parent, 0);
	assert_int_equal(run->nregions, 3);
	assert_int_equal(run->locations[0].region, run->locations[1].region);
	assert_int_equal(run->locations[3].region, run->locations[4].region);
	assert_int_equal(run->locations[2].object, 0);
	assert_int_equal(run->locations[0].object, NONE);
	assert_string_equal(run->strings[run->objects[0].specification], "stack");
	assert_string_equal(run->strings[run->notes[0]], "a limit");
	assert_int_equal(run->nthreads, 2);
	assert_string_equal(run->threads[0].name, "0");
	assert_string_equal(run->threads[1].name, "0.1");
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

static void test_in_order_and_again(void **state)
{
	struct writer w;
	struct trace t = { 0 }, copy;
	struct error e;
	struct run *run;

	write_classes(&w);
	run = open_run(&w);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++) {
			assert_int_equal(run_next(run, &t, &e), 1);
			checks[i](&t);
			trace_copy(&copy, &t);
			checks[i](&copy);
			trace_free(&copy);
		}
		assert_int_equal(run_next(run, &t, &e), 0);
		assert_int_equal(run_next(run, &t, &e), 0);
		run_rewind(run);
	}
	assert_int_equal(run->nsites, 12);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

static void test_random_access(void **state)
{
	static const int order[] = { 3, 1, 2, 2, 3, 3, 1, 1, 2, 1, 3, 2 };
	struct writer w;
	struct trace t = { 0 };
	struct error e;
	struct run *run;

	write_classes(&w);
	run = open_run(&w);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		assert_int_equal(run_load(run, (uint64_t)order[i], &t, &e), 1);
		checks[order[i] - 1](&t);
	}
	assert_int_equal(run_load(run, 2, &t, &e), 1);
	assert_int_equal(run_next(run, &t, &e), 1);
	check_third(&t);
	assert_int_equal(run_load(run, 0, &t, &e), 0);
	assert_int_equal(run_load(run, 4, &t, &e), 0);
	assert_int_equal(run_load(run, UINT64_MAX, &t, &e), 0);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

static void test_schedule(void **state)
{
	struct writer w;
	struct trace t = { 0 };
	struct error e;
	struct run *run;
	char *s;

	write_classes(&w);
	run = open_run(&w);
	assert_int_equal(run_load(run, 1, &t, &e), 1);
	s = trace_schedule(run, &t);
	assert_string_equal(s, "0.1x2 0 0.1x2 0x3");
	free(s);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

/* Nested operations, as of a map made of sets; and a return too many. */
static void test_nested_operations(void **state)
{
	struct writer w;
	struct trace t = { 0 };
	struct error e;
	struct run *run;

	write_tables(&w);
	class_begin(&w, 0, 6);
	call(&w, -1, 1);
	call(&w, -1, 2);
	access_to(&w, READ, -1, 0, 0);
	ret(&w, -1, 0, 0);
	access_to(&w, READ, -1, 0, 0);
	ret(&w, -1, 2, 0);
	class_end_ok(&w);
	class_begin(&w, 3, 3); /* takes over a state with two open operations */
	ret(&w, -1, 1, 4);
	ret(&w, -1, 1, 5);
	ret(&w, -1, 1, 6);
	class_end_ok(&w);
	writer_close(&w);
	run = open_run(&w);
	assert_int_equal(run_next(run, &t, &e), 1);
	assert_int_equal(t.events[2].op, 1);
	assert_int_equal(t.events[4].op, 0);
	assert_int_equal(t.ops[1].ret_event, 3);
	assert_int_equal(t.ops[0].ret_event, 5);
	assert_int_equal(t.ops[0].ret_kind, 2);
	assert_int_equal(run_next(run, &t, &e), 1);
	assert_int_equal(t.ops[1].ret, 4);
	assert_int_equal(t.ops[0].ret, 5);
	assert_int_equal(t.events[5].op, NONE);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

static unsigned count_classes(struct run *run, struct error *e, int *rc)
{
	struct trace t = { 0 };
	unsigned n = 0;

	while ((*rc = run_next(run, &t, e)) > 0)
		n++;
	trace_free(&t);
	return n;
}

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

/* A trace that grows while it is read. */
static void test_follow(void **state)
{
	struct writer w;
	struct trace t = { 0 };
	struct error e;
	struct run *run;

	write_classes(&w);
	writer_trace_bytes(&w, w.data, w.used - 8);
	run = open_run(&w);
	assert_int_equal(run_next(run, &t, &e), 1);
	assert_int_equal(run_next(run, &t, &e), 1);
	assert_int_equal(run_next(run, &t, &e), 0);
	writer_trace_bytes(&w, w.data, w.used);
	assert_int_equal(run_next(run, &t, &e), 1);
	check_third(&t);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

/* Change each byte to a few others: whatever comes of it, no crash, and errors that name file and
 * byte. */
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

/* A long run of classes with deep sharing: every one is as a decoder without sharing would have it.
 */
static void test_many(void **state)
{
	enum { CLASSES = 3000, LENGTH = 40 };
	uint64_t values[LENGTH] = { 0 }, seed = 1;
	struct trace t = { 0 };
	struct writer w;
	struct error e;
	struct run *run;
	uint64_t expected[50][LENGTH];

	write_tables(&w);
	for (unsigned i = 0; i < CLASSES; i++) {
		unsigned keep;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		keep = i ? (unsigned)(seed >> 60) + 24 : 0;
		class_begin(&w, keep, LENGTH - keep);
		for (unsigned j = keep; j < LENGTH; j++)
			access_to(&w, j & 1 ? READ : WRITE, (int)(j / 3 % 2), 0,
				  values[j] = i * 100 + j);
		class_end_ok(&w);
		if (i % 60 == 59)
			memcpy(expected[i / 60], values, sizeof values);
	}
	writer_close(&w);
	run = open_run(&w);
	for (unsigned i = 0; i < 50; i++) {
		unsigned class = (i * 17 % 50) * 60 + 60;

		assert_int_equal(run_load(run, class, &t, &e), 1);
		assert_int_equal(t.nevents, LENGTH);
		for (unsigned j = 0; j < LENGTH; j++) {
			assert_int_equal(t.events[j].thread, j / 3 % 2);
			assert_int_equal(t.events[j].value[0], expected[class / 60 - 1][j]);
		}
	}
	run_rewind(run);
	for (unsigned i = 0; i < CLASSES; i++) {
		assert_int_equal(run_next(run, &t, &e), 1);
		if (i % 60 == 59)
			for (unsigned j = 0; j < LENGTH; j++)
				assert_int_equal(t.events[j].value[0], expected[i / 60][j]);
	}
	assert_int_equal(run_next(run, &t, &e), 0);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_in_order_and_again),
		cmocka_unit_test(test_random_access),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_nested_operations),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_killed_writer),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
