/* SPDX-License-Identifier: MIT
 *
 * Traces and reports as text: a hand-made run of an array stack that is compiled here, with two
 * pops that return the same value, and one bad end of each kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "built_program.h"
#include "outcome_text.h"
#include "report_text.h"
#include "trace_text.h"

static const char program[] = "#define _GNU_SOURCE\n"
			      "#include <link.h>\n"
			      "#include <stdio.h>\n"
			      "int range, items[4];\n"
			      "int lock_a, lock_b;\n"
			      "static unsigned long base;\n"
			      "static int find_base(struct dl_phdr_info *i, size_t n, void *p)\n"
			      "{\n"
			      "	base = i->dlpi_addr;\n"
			      "	return 1;\n"
			      "}\n"
			      "__attribute__((noinline)) void hook(const char *tag, void *pc)\n"
			      "{\n"
			      "	if (!pc)\n"
			      "		pc = __builtin_return_address(0);\n"
			      "	printf(\"%s %lx\\n\", tag, (unsigned long)pc - base);\n"
			      "}\n"
			      "__attribute__((noinline)) void push(int x)\n"
			      "{\n"
			      "	int i = (hook(\"claim\", 0), range++); /* @claim */\n"
			      "	items[i] = (hook(\"fill\", 0), x); /* @fill */\n"
			      "}\n"
			      "__attribute__((noinline)) int pop(void)\n"
			      "{\n"
			      "	int x = (hook(\"read\", 0), items[0]); /* @read */\n"
			      "	items[0] = (hook(\"clear\", 0), 0); /* @clear */\n"
			      "	return x;\n"
			      "}\n"
			      "__attribute__((noinline)) void locks(void)\n"
			      "{\n"
			      "	hook(\"first\", 0); /* @first */\n"
			      "	hook(\"second\", 0); /* @second */\n"
			      "	hook(\"third\", 0); /* @third */\n"
			      "	__asm__ volatile(\"\"); /* no tail call */\n"
			      "}\n"
			      "int main(void)\n"
			      "{\n"
			      "	dl_iterate_phdr(find_base, 0);\n"
			      "	push(7);\n"
			      "	pop();\n"
			      "	locks();\n"
			      "	hook(\"range\", &range);\n"
			      "	hook(\"items\", items);\n"
			      "	hook(\"lock_a\", &lock_a);\n"
			      "	hook(\"lock_b\", &lock_b);\n"
			      "	return 0;\n"
			      "}\n";

/* Sites, locations and strings of the run. */
enum {
	CLAIM,
	FILL,
	POP_READ,
	POP_CLEAR,
	CALL,
	RETURN,
	CREATE,
	LOCK_1,
	LOCK_2,
	SPIN,
	ALLOC,
	FREE,
	CRASH
};
enum { RANGE, ITEMS, LOCK_A, LOCK_B, OBJECT, BLOCK, BLOCK_8 };
enum { S_PATH, S_PUSH, S_POP, S_ADDRESS, S_ASSERT, S_LIBC_ASSERT };

static void write_sites(struct build *b)
{
	struct writer *w = &b->w;

	writer_site(w, LP_EV_RMW, LP_SITE_ATOMIC | 0x50, 4, 1, place(b, "claim"), 0);
	writer_site(w, LP_EV_WRITE, 0, 4, 1, place(b, "fill"), 0);
	writer_site(w, LP_EV_READ, LP_SITE_ATOMIC | 0x20, 4, 1, place(b, "read"), 0);
	writer_site(w, LP_EV_WRITE, 0, 4, 1, place(b, "clear"), 0);
	writer_site(w, LP_EV_CALL, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_RETURN, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_CREATE, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_LOCK, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_LOCK, 0, 0, 1, place(b, "second"), 0);
	writer_site(w, LP_EV_READ, 0, 4, 1, place(b, "third"), 0);
	writer_site(w, LP_EV_ALLOC, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_FREE, 0, 0, 1, place(b, "second"), 0);
	writer_site(w, LP_EV_NONE, 0, 0, 1, place(b, "clear") - 1, 0);
}

static void begin(struct build *b)
{
	struct writer *w = &b->w;

	build(b, program, "gcc -g -O2", "true");
	writer_module(w, b->binary, b->build_id);
	writer_string(w, "push");
	writer_string(w, "pop");
	writer_string(w, "address 0x10");
	writer_string(w, "x \033[31m> 0");
	writer_string(w, "p: f.c:3: f: Assertion `a == b' failed.\n");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_thread(w, 1, 2);
	write_sites(b);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "range"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "items"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "lock_a"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "lock_b"));
	writer_location(w, LP_LOC_OTHER, 0, 0, 0);
	writer_location(w, LP_LOC_HEAP, 1, 1, 0);
	writer_location(w, LP_LOC_HEAP, 1, 1, 8);
}

static void access_to(struct writer *w, unsigned site, int thread, unsigned location,
		      uint64_t value)
{
	class_event(w, site, thread);
	class_number(w, location);
	class_number(w, value);
}

static void lock(struct writer *w, unsigned site, int thread, unsigned location)
{
	class_event(w, site, thread);
	class_number(w, location);
}

static void call(struct writer *w, int thread, unsigned name, int nargs)
{
	class_event(w, CALL, thread);
	class_number(w, OBJECT);
	class_number(w, name);
	class_number(w, (uint64_t)nargs);
	if (nargs)
		class_signed(w, 7);
}

static void ret(struct writer *w, int thread, unsigned kind, int64_t value)
{
	class_event(w, RETURN, thread);
	class_byte(w, kind);
	class_signed(w, value);
}

/* push(7), then two pops that read before either clears; the second pop never returns if `pending`.
 */
static void duplicate_pop(struct writer *w, bool pending)
{
	class_begin(w, 0, pending ? 13 : 14);
	class_event(w, CREATE, -1);
	class_number(w, 1);
	class_event(w, CREATE, -1);
	class_number(w, 2);
	call(w, -1, S_PUSH, 1);
	access_to(w, CLAIM, -1, RANGE, 0);
	class_number(w, 1);
	access_to(w, FILL, -1, ITEMS, 7);
	ret(w, -1, 0, 0);
	call(w, 1, S_POP, 0);
	call(w, 2, S_POP, 0);
	access_to(w, POP_READ, 1, ITEMS, 7);
	access_to(w, POP_READ, 2, ITEMS, 7);
	access_to(w, POP_CLEAR, 1, ITEMS, 0);
	ret(w, -1, 1, 7);
	access_to(w, POP_CLEAR, 2, ITEMS, 0xffffffff);
	if (!pending)
		ret(w, -1, 1, 7);
	class_end_ok(w);
}

static void load(struct build *b, struct trace *t)
{
	struct error e = { "" };

	writer_close(&b->w);
	b->run = run_open(b->w.directory, &e);
	if (!b->run)
		fail_msg("%s", e.message);
	if (run_next(b->run, t, &e) != 1)
		fail_msg("%s", e.message);
	open_map(b);
}

static void done(struct build *b, struct trace *t, char *text)
{
	free(text);
	trace_free(t);
	remove_build(b);
}

/* Each of the strings is in the text, one after the other. A leading `!`: it is nowhere after the
 * one before. */
static void expect(const char *text, ...)
{
	const char *at = text, *s;
	va_list args;

	va_start(args, text);
	while ((s = va_arg(args, const char *))) {
		const char *found = strstr(at, *s == '!' ? s + 1 : s);

		if (!found != (*s == '!'))
			fail_msg("expected `%s` in:\n%s", s, text);
		if (found)
			at = found + strlen(s);
	}
	va_end(args);
}

static const struct text_style plain;

static char *dump(struct build *b, const struct trace *t, const struct text_style *s)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	trace_text_dump(f, s, b->map, b->run, t);
	fclose(f);
	return text;
}

static void test_dump(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	duplicate_pop(&b.w, true);
	load(&b, &t);
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

	begin(&b);
	duplicate_pop(&b.w, false);
	load(&b, &t);
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

	begin(&b);
	duplicate_pop(&b.w, true);
	load(&b, &t);
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

	begin(&b);
	duplicate_pop(&b.w, false);
	load(&b, &t);
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

static char *violation(struct build *b, const struct report_violation *v)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_violation(f, &plain, b->map, b->run, v);
	fclose(f);
	return text;
}

static void test_violation(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char file[300], *text;

	begin(&b);
	duplicate_pop(&b.w, false);
	load(&b, &t);
	snprintf(file, sizeof file, "%s/program.c", b.w.directory);
	{
		const struct block pop = { file, "pop", marked_line(&b, "@read"),
					   marked_line(&b, "@clear") };
		const struct block push[] = {
			{ file, "push", marked_line(&b, "@claim"), marked_line(&b, "@fill") }, pop
		};
		const struct report_repair repairs[] = { { &pop, 1, 0, 1 },
							 { push, 1, 3, -1 },
							 { push, 2, 3, 0 } };
		const struct report_violation v = { .trace = &t,
						    .why = "two pops returned 7",
						    .classes = 4,
						    .total = 20,
						    .repairs = repairs,
						    .nrepairs = 3,
						    .linearizable = 16 };

		text = violation(&b, &v);
	}
	expect(text, "program.c:25:",
	       ": error: not linearizable: two pops returned 7 (class 1; 4 of 20 "
	       "classes)\n",
	       "25 |  int x = (hook(\"read\", 0), items[0]); /* @read */\n", "^\n", "history:\n",
	       "push(7)\n", "pop() ...\n", "... = 7\n", "interleaving:\n", "call push(7)\n",
	       "write items[0] = 7", "program.c:21  items[i] = ", ">", "read items[0] = 7",
	       "program.c:25  int x", ">", "repairs, best first:\n", "  1. ",
	       "program.c:25-26 (pop) must be atomic; rules out no correct class; verified\n",
	       "25 |  int x", "26 |  items[0]", "  2. ",
	       "program.c:20-21 (push) must be atomic; rules "
	       "out 3 of 16 correct classes (tie)\n",
	       "  2. ", "program.c:20-21 (push) and ", "(pop) must each be atomic;",
	       "not enough: violations remain with it (tie)\n", NULL);
	expect(text, "!range 0 -> 1", NULL); /* touched by one thread only */
	done(&b, &t, text);
}

static void test_violation_without_repair(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	duplicate_pop(&b.w, false);
	load(&b, &t);
	{
		const struct report_violation v = { .trace = &t, .specification = "stack" };

		text = violation(&b, &v);
	}
	expect(text, "program.c:26:",
	       "error: not linearizable: no sequential order of stack operations "
	       "gives these results\n",
	       "history:", "interleaving:", "!repair", NULL);
	done(&b, &t, text);
}

static char *outcome_report(struct build *b, const struct trace *t)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_outcome(f, &plain, b->map, b->run, t, 1);
	fclose(f);
	return text;
}

static void waiter(struct writer *w, unsigned thread, uint64_t site, uint64_t location,
		   uint64_t holder, unsigned why)
{
	class_number(w, thread);
	class_number(w, site);
	class_number(w, location);
	class_number(w, holder);
	class_byte(w, why);
}

static void test_deadlock(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	class_begin(&b.w, 0, 2);
	lock(&b.w, LOCK_1, 1, LOCK_A);
	lock(&b.w, LOCK_1, 2, LOCK_B);
	class_outcome(&b.w, LP_OUT_DEADLOCK, 2, 0, 0, 0);
	class_number(&b.w, 3);
	waiter(&b.w, 0, 0, 0, 2, LP_WAIT_JOIN);
	waiter(&b.w, 1, LOCK_2 + 1, LOCK_B + 1, 3, LP_WAIT_LOCK);
	waiter(&b.w, 2, LOCK_2 + 1, LOCK_A + 1, 2, LP_WAIT_LOCK);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text,
	       "program.c:32:", "error: deadlock: every thread waits (class 1; 1 such class)\n",
	       "32 |  hook(\"second\", 0); /* @second */\n", "^\n",
	       "?: note: T0 waits for T0.1 to end\n",
	       "program.c:32:", "note: T0.1 waits for lock lock_b, held by T0.2 since ",
	       "program.c:31\n", "note: T0.2 waits for lock lock_a, held by T0.1 since ",
	       "interleaving:\n", "lock lock_a ", "lock lock_b ", NULL);
	done(&b, &t, text);
}

static void test_livelock(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	class_begin(&b.w, 0, 0);
	class_outcome(&b.w, LP_OUT_LIVELOCK, 1, 0, 0, 0);
	class_number(&b.w, 2);
	waiter(&b.w, 1, SPIN + 1, LOCK_A + 1, 0, LP_WAIT_SPIN);
	waiter(&b.w, 1, LOCK_2 + 1, LOCK_B + 1, 0, LP_WAIT_SPIN);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text, "error: livelock: only spinning threads are left", "program.c:32",
	       "note: T0.1 spins on lines 32-33 of locks, waiting for a change of lock_a\n",
	       "!note", NULL);
	done(&b, &t, text);
}

static void check_outcome(unsigned kind, unsigned site, int64_t code, unsigned message,
			  const char *sentence, const char *line)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	class_begin(&b.w, 0, 2);
	call(&b.w, 1, S_POP, 0);
	access_to(&b.w, POP_READ, -1, ITEMS, 7);
	class_outcome(&b.w, kind, 1, site, code, message);
	class_number(&b.w, 0);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text, line, ": error: ", sentence, "history:\n", "pop() never returned\n", NULL);
	expect(text, "!\033", NULL);
	free(text);
	text = dump(&b, &t, &plain);
	expect(text, "outcome: ", sentence, ", at ", line, NULL);
	done(&b, &t, text);
}

static void test_other_outcomes(void **state)
{
	check_outcome(LP_OUT_CRASH, CRASH + 1, 11, S_ADDRESS + 1,
		      "crash: segmentation fault at address 0x10 in pop (T0.1)", "program.c:26");
	check_outcome(LP_OUT_CRASH, CRASH + 1, 99, 0, "crash: signal 99 in pop (T0.1)",
		      "program.c:26");
	check_outcome(LP_OUT_ABORT, LOCK_2 + 1, 6, 0, "abort in locks (T0.1)", "program.c:32");
	check_outcome(LP_OUT_ASSERT, LOCK_2 + 1, 6, S_ASSERT + 1,
		      "assertion failed: x \\033[31m> 0 in locks (T0.1)", "program.c:32");
	check_outcome(LP_OUT_ASSERT, LOCK_2 + 1, 6, S_LIBC_ASSERT + 1,
		      "assertion `a == b' failed in locks (T0.1)", "program.c:32");
	check_outcome(LP_OUT_EXIT, 0, 3, 0, "exit with status 3 in pop (T0.1)", "program.c:25");
	check_outcome(LP_OUT_STACK_OVERFLOW, CRASH + 1, 11, 0, "stack overflow in pop (T0.1)",
		      "program.c:26");
	check_outcome(LP_OUT_ENDLESS, 0, 0, 0,
		      "endless execution: the bound on steps was reached in pop (T0.1)",
		      "program.c:25");
	check_outcome(LP_OUT_MISUSE, LOCK_1 + 1, 0, S_PUSH + 1,
		      "misuse of the thread library: push in locks (T0.1)", "program.c:31");
}

static void test_use_after_free(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	class_begin(&b.w, 0, 2);
	class_event(&b.w, ALLOC, -1);
	class_number(&b.w, BLOCK);
	class_number(&b.w, 16);
	class_event(&b.w, FREE, 2);
	class_number(&b.w, BLOCK);
	class_number(&b.w, 16);
	class_outcome(&b.w, LP_OUT_USE_AFTER_FREE, 1, CRASH + 1, 0, 0);
	class_number(&b.w, 1);
	waiter(&b.w, 1, 0, BLOCK_8 + 1, 0, LP_WAIT_NOTHING);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text, "program.c:26:", "error: use after free in pop (T0.1)",
	       "program.c:31:", "note: allocated by T0\n",
	       "program.c:32:", "note: freed by T0.2 before\n", NULL);
	done(&b, &t, text);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_dump_on_terminal),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_conflicting),
		cmocka_unit_test(test_violation),
		cmocka_unit_test(test_violation_without_repair),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_livelock),
		cmocka_unit_test(test_other_outcomes),
		cmocka_unit_test(test_use_after_free),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
