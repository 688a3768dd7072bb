/* SPDX-License-Identifier: MIT
 *
 * What limits a search, with the places, and what is claimed of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "judge/search_limits.h"
#include "judge/verdict.h"
#include "report_cases.h"

static void add_line(void *file, char *sentence)
{
	fprintf(file, "%s\n", sentence);
	free(sentence);
}

static char *limits_text(const struct analysis *a)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	search_limits(a, add_line, f);
	fclose(f);
	return text;
}

static void limit(struct build *b, unsigned kind, unsigned site, unsigned location)
{
	writer_numbers(&b->w, LP_REC_LIMIT, 4, (uint64_t)kind, (uint64_t)site, (uint64_t)location,
		       (uint64_t)0);
}

static void one_class(struct build *b)
{
	class_begin(&b->w, 0, 0);
	class_end_ok(&b->w);
}

static void open_written(struct build *b, struct trace *t, struct analysis *a)
{
	load(b, t);
	*a = (struct analysis){ .run = b->run, .map = b->map, .classes = 24 };
	b->run->max_steps = 20000;
	for (uint32_t i = 0; i < b->run->nlimits; i++)
		b->run->status.limits |= b->run->limits[i].kind;
}

static void test_places(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	struct analysis a;
	char *text;

	begin(&b);
	limit(&b, LP_LIMIT_VAIN, POP_READ, ITEMS);
	limit(&b, LP_LIMIT_VAIN, POP_READ, RANGE);
	limit(&b, LP_LIMIT_ROUNDS, LOCK_1, LOCK_A);
	limit(&b, LP_LIMIT_STEPS, FILL, ITEMS);
	limit(&b, LP_LIMIT_COMPUTES, CRASH, OBJECT);
	limit(&b, LP_LIMIT_KERNEL, CRASH, OBJECT);
	limit(&b, LP_LIMIT_EXIT, FILL, ITEMS);
	one_class(&b);
	open_written(&b, &t, &a);
	text = limits_text(&a);
	expect(text, "thread stopped after 20,000 steps (--max-steps) at ", "program.c:21\n",
	       "loop at ",
	       "program.c:25 (reads `items[0]`, reads `range`): at most 4 rounds in a row "
	       "without news; then others go first\n",
	       "loop at ", "program.c:31 (locks `lock_a`): at most 2 rounds that others saw\n",
	       "computes for seconds without an event at ", "program.c:26, while others could",
	       "blocked in a system call at ",
	       "program.c:26: what it waits for there is not seen\n",
	       "thread stopped 1,000 steps after the end of the process began, at ",
	       "program.c:21\n", "!\n", NULL);
	done(&b, &t, text);
}

static void test_many_places(void **state)
{
	static const unsigned sites[] = { CLAIM, FILL, POP_READ, POP_CLEAR, LOCK_1, LOCK_2, SPIN };
	struct build b = { 0 };
	struct trace t = { 0 };
	struct analysis a;
	char *text;

	begin(&b);
	for (unsigned i = 0; i < 7; i++)
		limit(&b, LP_LIMIT_VAIN, sites[i], ITEMS);
	for (unsigned i = 0; i < 3; i++) {
		writer_site(&b.w, LP_EV_READ, 0, 4, 0, 0x1000 + i, 0);
		limit(&b, LP_LIMIT_VAIN, CRASH + 1 + i, ITEMS);
	}
	one_class(&b);
	open_written(&b, &t, &a);
	text = limits_text(&a);
	expect(text, "loop at ", "program.c:33 (", "loop at ", ": at most 4",
	       "and 2 more such loops\n", "!\n", NULL);
	done(&b, &t, text);
}

/* The bits of the status are enough. */
static void test_no_places(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	struct analysis a;
	char *text;

	begin(&b);
	one_class(&b);
	open_written(&b, &t, &a);
	b.run->status.limits = LP_LIMIT_VAIN | LP_LIMIT_LOOK;
	text = limits_text(&a);
	expect(text, "loops were left after some rounds without news",
	       "all threads waited in loops, and whether", "not found out\n", "!\n", NULL);
	free(text);
	b.run->status.limits = 0;
	text = limits_text(&a);
	assert_string_equal(text, "");
	done(&b, &t, text);
}

static void check_bound(struct build *b, struct analysis *a, const char *wanted)
{
	char *text = search_bound(b->run, a);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_bound(void **state)
{
	struct build b = { 0 };
	struct trace t = { 0 };
	struct analysis a;
	struct lp_status *s;

	begin(&b);
	one_class(&b);
	open_written(&b, &t, &a);
	s = &b.run->status;
	s->executions = 40;
	check_bound(&b, &a, "all 24 classes of this client under sequential consistency");
	s->redundant = 16;
	check_bound(&b, &a,
		    "all 24 classes of this client under sequential consistency (vain rounds left "
		    "out)");
	b.run->nnotes = 1;
	check_bound(&b, &a,
		    "all 24 classes of this client under sequential consistency (vain rounds left "
		    "out; only of what is seen, see the limits below)");
	b.run->nnotes = 0;
	s->limits = LP_LIMIT_ROUNDS;
	check_bound(&b, &a, "24 classes of this client within the limits below; there may be more");
	s->cut = 40;
	check_bound(&b, &a, "nothing is known; every execution was cut, see the limits below");
	s->limits = LP_LIMIT_STEPS;
	check_bound(&b, &a, "nothing is known; every execution was cut after 20,000 steps");
	s->cut = 39;
	a.classes = 1;
	check_bound(&b, &a, "1 class of this client within the limits below; there may be more");
	done(&b, &t, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_many_places),
		cmocka_unit_test(test_no_places),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
