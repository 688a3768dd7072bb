/* SPDX-License-Identifier: MIT
 *
 * What is said of a night, by what the nights before were like; the words of commands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nightly/compare.h"

/* A night: the findings as letters, and how the search went. */
struct day {
	const char *faults; /* NULL: it could not be explored */
	const char *end;
	uint64_t classes, executions;
	double processor;
	const char *build, *limit;
};

#define ALL(faults) { faults, "finished", 10, 20, 1, "", NULL }

static struct record record_of(const struct day *d, int64_t night)
{
	struct record r = {
		.night = night,
		.test = xstrdup("test"),
		.command = xstrdup("command"),
		.build = xstrdup(d->build ? d->build : ""),
		.build_id = xstrdup(""),
		.message = xstrdup("message"),
		.end = xstrdup(d->end ? d->end : ""),
		.complete = d->end && !strcmp(d->end, "finished"),
		.classes = d->classes,
		.executions = d->executions,
		.processor = d->processor,
		.status = !d->faults ? STATUS_FAILED : *d->faults ? STATUS_VIOLATION : STATUS_CLEAN,
	};

	for (const char *f = d->faults; f && *f; f++) {
		VEC_GROW(r.faults, r.nfaults, r.faults_capacity);
		r.faults[r.nfaults++] = (struct fault){
			.fingerprint = xasprintf("%c%c%c%c%c%c%c%c", *f, *f, *f, *f, *f, *f, *f, *f),
			.kind = xstrdup("history"),
			.message = xasprintf("%c", *f),
			.statements = xstrdup(""),
			.history = xstrdup(""),
			.schedule = xstrdup(""),
		};
	}
	if (d->limit) {
		VEC_GROW(r.limits, r.nlimits, r.limits_capacity);
		r.limits[r.nlimits++] = xstrdup(d->limit);
	}
	return r;
}

/* The words for the last of n days, "new a, gone b"; + stands before what is fresh. */
static char *words_for(const struct day *days, uint32_t n, const struct suite_test *t)
{
	struct record *past = xcalloc(n, sizeof *past), now = record_of(&days[n - 1], n);
	struct remarks remarks = { 0 };
	char *text = xstrdup("");

	for (uint32_t i = 0; i + 1 < n; i++)
		past[n - 2 - i] = record_of(&days[i], i + 1);
	for (uint32_t i = 0; i < now.nfaults; i++)
		for (uint32_t k = 0; k < t->known.n; k++)
			now.faults[i].known |= !strcmp(now.faults[i].fingerprint, t->known.list[k]);
	compare(t, &now, past, n - 1, &remarks);
	for (uint32_t i = 0; i < remarks.n; i++) {
		const struct remark *r = &remarks.list[i];
		char *longer = xasprintf("%s%s%s%s%s%.1s", text, *text ? ", " : "", r->fresh ? "+" : "",
					 word_name(r->word), r->fault ? " " : "",
					 r->fault ? r->fault->fingerprint : "");

		free(text);
		text = longer;
	}
	remarks_free(&remarks);
	record_free(&now);
	records_free(past, n - 1);
	return text;
}

#define TIME(faults, executions) { faults, "time", 10, executions, 1, "", NULL }
#define FAILED { NULL, NULL, 0, 0, 0, "", NULL }

static void test_words(void **state)
{
	static const struct {
		struct day days[6];
		uint32_t n;
		const char *words;
	} cases[] = {
		{ { ALL("") }, 1, "" },
		{ { ALL("a") }, 1, "+new a" },
		{ { ALL(""), ALL("a") }, 2, "+new a" },
		{ { ALL("a"), ALL("a") }, 2, "still there a" },
		{ { ALL("a"), ALL("ab") }, 2, "still there a, +new b" },
		{ { ALL("ab"), ALL("b") }, 2, "still there b, gone a" },
		{ { ALL("a"), ALL(""), ALL("") }, 3, "" },
		{ { ALL("a"), ALL(""), ALL("a") }, 3, "+new a" },
		/* Nights that could not be explored say nothing. */
		{ { ALL("a"), FAILED }, 2, "+failed" },
		{ { ALL("a"), FAILED, FAILED }, 3, "failed" },
		{ { ALL("a"), FAILED, ALL("a") }, 3, "still there a" },
		{ { ALL("a"), FAILED, ALL("") }, 3, "gone a" },
		{ { ALL(""), FAILED, ALL("a") }, 3, "+new a" },
		/* Nor do those that time ended earlier than the one that found it. */
		{ { TIME("a", 100), TIME("", 50) }, 2, "not seen a" },
		{ { TIME("a", 100), TIME("", 50), TIME("a", 100) }, 3, "still there a" },
		{ { TIME("a", 100), TIME("", 50), TIME("", 60) }, 3, "not seen a" },
		{ { TIME("a", 100), TIME("", 100) }, 2, "gone a" },
		{ { TIME("a", 100), TIME("", 100), TIME("a", 100) }, 3, "+new a" },
		{ { TIME("a", 100), ALL("") }, 2, "gone a" },
		/* One build has one result, unless time ends it. */
		{ { { "", "finished", 10, 20, 1, "x", NULL }, { "", "finished", 9, 20, 1, "x", NULL } }, 2,
		  "flaky" },
		{ { { "", "finished", 10, 20, 1, "x", NULL }, { "a", "finished", 10, 20, 1, "x", NULL } }, 2,
		  "+new a, +flaky" },
		{ { { "a", "finished", 10, 20, 1, "x", NULL }, { "b", "finished", 10, 20, 1, "x", NULL } }, 2,
		  "+new b, gone a, flaky" },
		{ { { "", "executions", 10, 20, 1, "x", NULL }, { "", "executions", 9, 20, 1, "x", NULL } }, 2,
		  "flaky" },
		{ { { "", "time", 10, 20, 1, "x", NULL }, { "", "time", 9, 18, 1, "x", NULL } }, 2, "" },
		{ { { "", "finished", 10, 20, 1, "x", NULL }, { "", "finished", 10, 25, 1, "x", NULL } }, 2, "" },
		{ { { "", "finished", 10, 20, 1, "", NULL }, { "", "finished", 9, 20, 1, "", NULL } }, 2,
		  "fewer classes" },
		{ { { "", "finished", 10, 20, 1, "x", NULL }, { "", "finished", 9, 20, 1, "y", NULL } }, 2,
		  "fewer classes" },
		{ { { "", "finished", 10, 20, 1, "x", NULL }, { "", "finished", 11, 20, 1, "y", NULL } }, 2, "" },
		/* Slower: more than by half, and by half a second; for the same work. */
		{ { { "", "finished", 10, 20, 1, "", NULL }, { "", "finished", 10, 20, 1.4, "", NULL } }, 2, "" },
		{ { { "", "finished", 10, 20, 1, "", NULL }, { "", "finished", 10, 20, 1.6, "", NULL } }, 2,
		  "slower" },
		{ { { "", "finished", 10, 20, .1, "", NULL }, { "", "finished", 10, 20, .5, "", NULL } }, 2, "" },
		{ { { "", "finished", 10, 20, 1, "", NULL }, { "", "finished", 12, 20, 9, "", NULL } }, 2, "" },
		{ { { "", "finished", 10, 20, 1, "", NULL }, { "", "finished", 10, 20, 1, "", NULL },
		    { "", "finished", 10, 20, 5, "", NULL }, { "", "finished", 10, 20, 1.2, "", NULL } }, 4,
		  "" },
		/* Limits are the same whatever their numbers. */
		{ { { "", "finished", 10, 20, 1, "", "loop at a.c:12" } }, 1, "+limit" },
		{ { { "", "finished", 10, 20, 1, "", "loop at a.c:12" },
		    { "", "finished", 10, 20, 1, "", "loop at a.c:52" } }, 2, "limit" },
		{ { { "", "finished", 10, 20, 1, "", "loop at a.c:12" },
		    { "", "finished", 10, 20, 1, "", "loop at b.c:12" } }, 2, "+limit" },
		{ { { "", "finished", 10, 20, 1, "", "it is allowed here" } }, 1, "" },
	};
	struct suite_test t = { .name = (char *)"test" };

	words_add(&t.limits, xstrdup("allowed"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *words = words_for(cases[i].days, cases[i].n, &t);

		if (strcmp(words, cases[i].words) != 0)
			fail_msg("case %zu: \"%s\", expected \"%s\"", i, words, cases[i].words);
		free(words);
	}
	words_free(&t.limits);
}

static void test_known(void **state)
{
	static const struct day there[] = { ALL(""), ALL("a") }, gone[] = { ALL("a"), ALL("") },
				never[] = { ALL(""), ALL("b") }, unseen[] = { TIME("", 5) };
	struct suite_test t = { .name = (char *)"test" };
	char *words;

	words_add(&t.known, xstrdup("aaaaaaaa"));
	words = words_for(there, 2, &t);
	assert_string_equal(words, "known a");
	free(words);
	words = words_for(gone, 2, &t);
	assert_string_equal(words, "gone a");
	free(words);
	words = words_for(never, 2, &t);
	assert_string_equal(words, "+new b, gone");
	free(words);
	words = words_for(unseen, 1, &t);
	assert_string_equal(words, "not seen");
	free(words);
	words_free(&t.known);
}

/* Split and joined again, a line means the same. */
static void test_line(void **state)
{
	static const struct {
		const char *line, *joined;
		uint32_t n;
	} cases[] = {
		{ "a b", "a b", 2 },
		{ "  a\t b ", "a b", 2 },
		{ "'a b' c", "'a b' c", 2 },
		{ "\"a b\"'c'd", "'a bcd'", 1 },
		{ "a\\ b", "'a b'", 1 },
		{ "'it'\\''s'", "'it'\\''s'", 1 },
		{ "''", "''", 1 },
		{ "\"\\\"$x\"", "'\"$x'", 1 },
		{ "", "", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct words w = { 0 }, again = { 0 };
		char *joined;

		assert_int_equal(words_split(cases[i].line, &w, NULL), 0);
		assert_int_equal(w.n, cases[i].n);
		joined = words_join(&w);
		assert_string_equal(joined, cases[i].joined);
		assert_int_equal(words_split(joined, &again, NULL), 0);
		assert_int_equal(again.n, w.n);
		for (uint32_t k = 0; k < w.n; k++)
			assert_string_equal(again.list[k], w.list[k]);
		free(joined);
		words_free(&w);
		words_free(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
