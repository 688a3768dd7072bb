/* SPDX-License-Identifier: MIT
 *
 * The reader of run directories on hand-made ones: every field, prefix sharing, random access.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace_cases.h"

static void close_all(struct writer *w, struct run *run, struct trace *t)
{
	trace_free(t);
	run_close(run);
	writer_remove(w);
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
	assert_int_equal(t->outcome.stack, NONE);
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
	assert_int_equal(t->outcome.stack, 0);
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
	assert_int_equal(run->nlooks, 2);
	assert_int_equal(run->nleaks, 1);
	assert_int_equal(run->leaks[0].class, 1);
	assert_int_equal(run->leaks[0].site, 2);
	assert_int_equal(run->leaks[0].location, 3);
	assert_int_equal(run->leaks[0].blocks, 4);
	assert_int_equal(run->leaks[0].bytes, 56);
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
	close_all(&w, run, &t);
}

static void test_stack(void **state)
{
	struct writer w;
	struct trace t = { 0 };
	struct error e;
	struct run *run;
	const struct stack *s;

	write_classes(&w);
	run = open_run(&w);
	while (run_next(run, &t, &e) > 0)
		;
	assert_int_equal(run->nstacks, 1);
	s = &run->stacks[0];
	assert_int_equal(s->thread, 1);
	assert_int_equal(s->registers[0].kind, LP_STACK_OTHER);
	assert_int_equal(s->registers[7].kind, LP_STACK_ADDRESS);
	assert_int_equal(s->registers[7].at, 24);
	assert_int_equal(s->registers[16].kind, LP_STACK_CODE);
	assert_int_equal(s->registers[16].at, 16);
	assert_int_equal(s->nwords, 2);
	assert_int_equal(s->words[0].index, 1);
	assert_int_equal(s->words[0].value.at, 8);
	assert_int_equal(s->words[1].index, 2);
	assert_int_equal(s->words[1].value.module, 0);
	assert_int_equal(s->words[1].value.at, 32);
	close_all(&w, run, &t);
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
	close_all(&w, run, &t);
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
	close_all(&w, run, &t);
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
	close_all(&w, run, &t);
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
	close_all(&w, run, &t);
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
	close_all(&w, run, &t);
}

/* The bytes of the example in docs/trace-format.md: pairs of hexadecimal digits at the beginning of
 * its lines. */
static size_t example_bytes(FILE *f, unsigned char *bytes, size_t size)
{
	char line[512];
	size_t n = 0;
	bool inside = false;

	while (fgets(line, sizeof line, f)) {
		unsigned v;
		int used;

		inside |= !strncmp(line, "    4c 50 54", 12);
		if (inside && line[0] == '\n')
			break;
		for (char *p = line; inside && sscanf(p, " %2x%n", &v, &used) == 1; p += used) {
			if (p[used] != ' ' && p[used] != '\n')
				break;
			assert_true(n < size);
			bytes[n++] = (unsigned char)v;
		}
	}
	return n;
}

static void test_documented_example(void **state)
{
	FILE *f = fopen("docs/trace-format.md", "r");
	unsigned char bytes[256];
	struct trace t = { 0 };
	struct writer w;
	struct error e;
	struct run *run;

	if (!f)
		skip(); /* not started in the source tree */
	write_classes(&w);
	writer_trace_bytes(&w, bytes, example_bytes(f, bytes, sizeof bytes));
	fclose(f);
	f = writer_file(&w, "modules");
	fclose(f);
	run = open_run(&w);
	if (run_next(run, &t, &e) != 1)
		fail_msg("%s", e.message);
	assert_int_equal(t.nevents, 1);
	assert_int_equal(t.events[0].kind, LP_EV_WRITE);
	assert_int_equal(t.events[0].size, 4);
	assert_int_equal(t.events[0].value[0], 5);
	assert_int_equal(t.events[0].offset, 0x2020);
	assert_int_equal(run->sites[0].pc, 0x1010);
	assert_int_equal(t.outcome.kind, LP_OUT_OK);
	assert_int_equal(run_next(run, &t, &e), 0);
	close_all(&w, run, &t);
}

/* A long run of classes with deep sharing: every one is as a decoder without sharing would have
 * it. */
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
	close_all(&w, run, &t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_in_order_and_again),
		cmocka_unit_test(test_random_access),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_nested_operations),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_documented_example),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
