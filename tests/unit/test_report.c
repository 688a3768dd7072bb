/* SPDX-License-Identifier: MIT
 *
 * Reports: two pops that return the same value, and one failure of each kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_cases.h"

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

	load_duplicate_pop(&b, &t, false);
	snprintf(file, sizeof file, "%s/program.c", b.w.directory);
	{
		const struct block pop = { file, "pop", marked_line(&b, "@read"),
					   marked_line(&b, "@clear") };
		const struct block push[] = {
			{ file, "push", marked_line(&b, "@claim"), marked_line(&b, "@fill") }, pop
		};
		struct block both[] = { push[0], pop };
		const struct repair own = { both, 2 };
		struct block held[] = { pop, push[0] };
		struct closed closed = { .blocks = { held, 2 },
					 .wait_site = NONE };
		const struct proof_of_repair proof = {
			.asked = true,
			.atomic = { .result = PROOF_HOLDS, .classes = 12, .seconds = 0.5 },
			.closed = closed,
			.closure = true,
			.lock = { .result = PROOF_BOUNDED, .classes = 40, .seconds = 1 },
		};
		const struct proof_of_repair late = {
			.asked = true,
			.atomic = { .why = (char *)"the time is used up" },
			.closed = { .wait_site = CLAIM },
			.closure = true,
		};
		const struct report_repair list[] = { { &pop, 1, 0, &proof },
						      { push, 1, 3, NULL },
						      { push, 2, 3, &late } };
		const struct report_repairs repairs = {
			.list = list, .n = 3, .right = 16, .all = true, .map = b.map, .directory = "run"
		};
		const struct report_violation v = { .trace = &t,
						    .why = "two pops returned 7",
						    .classes = 4,
						    .total = 20,
						    .repairs = &repairs,
						    .own = &own,
						    .nown = 1 };

		text = violation(&b, &v);
	}
	expect(text, "program.c:25:",
	       ": error: not linearizable: two pops returned 7 (class 1; 4 of 20 "
	       "classes)\n",
	       "25 |  int x = (hook(\"read\", 0), items[0]); /* @read */\n", "^\n", "history:\n",
	       "push(7)\n", "pop() ...\n", "... = 7\n", "interleaving:\n", "call push(7)\n",
	       "write items[0] = 7", "program.c:21  items[i] = ", ">", "read items[0] = 7",
	       "program.c:25  int x", ">", "repairs, best first:\n", "  1. ",
	       "program.c:25-26 (pop) must be atomic; rules out no correct class\n",
	       "25 |  int x", "26 |  items[0]",
	       "       proven for this client: all 12 classes, in 0.50 s\n",
	       "       as a lock it also has to hold ", "program.c:20-21 (push): holds within 40 "
	       "classes, in 1.00 s; not all were explored\n", "  2. ",
	       "program.c:20-21 (push) must be atomic; rules "
	       "out 3 of 16 correct classes (tie)\n",
	       "  2. ", "program.c:20-21 (push) and ", "(pop) must each be atomic;",
	       "rules out 3 of 16 correct classes (tie)\n",
	       "       not explored: the time is used up\n",
	       "       as a lock it would have to hold the wait at ", "program.c:20, which nobody",
	       "  this execution alone would also be excluded by: ", "program.c:20-21 (push) and ",
	       "program.c:25-26 (pop)\n", NULL);
	expect(text, "!range 0 -> 1", NULL); /* touched by one thread only */
	done(&b, &t, text);
}

static void test_violation_without_repair(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	load_duplicate_pop(&b, &t, false);
	{
		const struct report_violation v = { .trace = &t, .specification = "stack" };

		text = violation(&b, &v);
	}
	expect(text, "program.c:26:",
	       "error: not linearizable: no sequential order of stack operations "
	       "gives these results\n",
	       "history:", "interleaving:", "!repair", NULL);
	expect(text, "!this execution alone", NULL);
	done(&b, &t, text);
}

static char *outcome_report(struct build *b, const struct trace *t)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_outcome(f, &plain, b->map, b->run,
		       &(struct report_end){ .trace = t, .classes = 1 });
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

/* T0.1 reads lock_a for ever, which T0.2 has set; what the loop changes itself is not awaited. */
static void test_livelock(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	class_begin(&b.w, 0, 5);
	access_to(&b.w, FILL, 2, ITEMS, 7);
	access_to(&b.w, FILL, -1, LOCK_A, 1);
	access_to(&b.w, SPIN, 1, LOCK_A, 1);
	lock(&b.w, LOCK_2, -1, LOCK_B);
	access_to(&b.w, SPIN, -1, LOCK_A, 1);
	class_outcome(&b.w, LP_OUT_LIVELOCK, 1, 0, 0, 0);
	class_number(&b.w, 4);
	waiter(&b.w, 1, SPIN + 1, LOCK_A + 1, 0, LP_WAIT_SPIN);
	waiter(&b.w, 1, LOCK_2 + 1, LOCK_B + 1, 0, LP_WAIT_SPIN);
	waiter(&b.w, 1, FREE + 1, 0, 0, LP_WAIT_SPIN);
	waiter(&b.w, 2, SPIN + 1, RANGE + 1, 0, LP_WAIT_SPIN);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text, "error: livelock: only spinning threads are left", "program.c:32",
	       "note: T0.1 spins on lines 32-33 of locks since event 3, waiting for a change of "
	       "lock_a\n",
	       "  lock_a = 1: last changed by T0.2 at ",
	       "program.c:21 (event 2: write lock_a = 1)\n", "program.c:33",
	       "note: T0.2 spins on line 33 of locks, waiting for a change of range\n",
	       "  range: nobody changes it in this execution\n", "!note", NULL);
	done(&b, &t, text);
}

/* The rounds of a loop are there once. */
static void test_folded(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	char *text;

	begin(&b);
	class_begin(&b.w, 0, 1 + 3 * 1200 + 2);
	access_to(&b.w, FILL, 2, ITEMS, 7);
	for (unsigned i = 0; i < 1200; i++) {
		access_to(&b.w, POP_READ, 1, ITEMS, 7);
		access_to(&b.w, FILL, 1, ITEMS, 7);
		access_to(&b.w, POP_CLEAR, 2, ITEMS, 7);
	}
	access_to(&b.w, POP_READ, 1, ITEMS, 7);
	access_to(&b.w, POP_CLEAR, 1, ITEMS, 8);
	class_outcome(&b.w, LP_OUT_CRASH, 1, CRASH + 1, 11, 0);
	class_number(&b.w, 0);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text, "interleaving:", "write items[0] = 7", "read items[0] = 7",
	       "write items[0] = 7", "write items[0] = 7", "... these 3 rows 1,199 more times\n",
	       "read items[0] = 7", "write items[0] = 8", "!write items", NULL);
	expect(text, "!earlier row", NULL);
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
	check_outcome(LP_OUT_ENDLESS, 0, 0, S_PUSH + 1, "endless execution: push in pop (T0.1)",
		      "program.c:25");
	check_outcome(LP_OUT_NO_PROGRESS, LOCK_1 + 1, LP_STALL_CIRCLE, S_PUSH + 1,
		      "not push: a thread can go round for ever, and none completes its operation",
		      "program.c:31");
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
	class_number(&b.w, 3);
	waiter(&b.w, 1, 0, BLOCK_8 + 1, 0, LP_WAIT_NOTHING);
	waiter(&b.w, 0, ALLOC + 1, BLOCK_8 + 1, 0, LP_WAIT_ALLOCATED);
	waiter(&b.w, 2, FREE + 1, BLOCK_8 + 1, 0, LP_WAIT_FREED);
	class_end(&b.w);
	load(&b, &t);
	text = outcome_report(&b, &t);
	expect(text, "program.c:26:", "error: use after free in pop (T0.1)",
	       "program.c:31:", "note: allocated by T0\n",
	       "program.c:32:", "note: freed before by T0.2\n", NULL);
	done(&b, &t, text);
}

/* What can still be read of a damaged trace can be printed. */
static void test_damaged_trace(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	unsigned printed = 0;

	load_duplicate_pop(&b, &t, false);
	for (size_t i = LP_TRACE_HEADER; i < b.w.used; i += 7) {
		struct error e;

		srcmap_close(b.map);
		run_close(b.run);
		b.w.data[i] ^= i & 1 ? 1 : 6;
		writer_trace_bytes(&b.w, b.w.data, b.w.used);
		b.w.data[i] ^= i & 1 ? 1 : 6;
		b.run = open_run(&b.w);
		b.map = srcmap_open(b.run, &e);
		assert_non_null(b.map);
		if (run_next(b.run, &t, &e) == 1) {
			const struct report_violation v = { .trace = &t };

			free(dump(&b, &t, &plain));
			free(violation(&b, &v));
			free(outcome_report(&b, &t));
			printed++;
		}
	}
	assert_true(printed > 10);
	done(&b, &t, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_violation),
		cmocka_unit_test(test_violation_without_repair),
		cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_livelock),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_other_outcomes),
		cmocka_unit_test(test_use_after_free),
		cmocka_unit_test(test_damaged_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
