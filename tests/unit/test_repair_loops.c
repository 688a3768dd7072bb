/* SPDX-License-Identifier: MIT
 *
 * Loops in source text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "repair/loops.h"
#include "repair_traces.h"

static void expect_loops(const char *text, const struct loop *expected, uint32_t n)
{
	struct loops l = { 0 };

	loops_parse(&l, text);
	assert_int_equal(l.n, n);
	for (uint32_t i = 0; i < n; i++) {
		bool found = false;

		for (uint32_t k = 0; k < l.n; k++)
			found |= l.list[k].first == expected[i].first &&
				 l.list[k].last == expected[i].last;
		assert_true(found);
	}
	loops_free(&l);
}

static void test_loops_of_each_kind(void **state)
{
	const char *text = "int f(int n)\n{\n"                    /* 1, 2 */
			   "	for (int i = 0;\n"                /* 3 */
			   "	     i < n; i++)\n"               /* 4 */
			   "		while (x)\n"              /* 5 */
			   "			g(\"}\", '{');\n" /* 6 */
			   "	do {\n"                           /* 7 */
			   "		/* while (1) { */\n"      /* 8 */
			   "		// for (;;) {\n"          /* 9 */
			   "	} while (n--);\n"                 /* 10 */
			   "retry:\n"                             /* 11 */
			   "	if (n) { g(); } else\n"           /* 12 */
			   "		goto retry;\n"            /* 13 */
			   "	list_for_each(p, head) {\n"       /* 14 */
			   "		g(p);\n"                  /* 15 */
			   "	}\n"                              /* 16 */
			   "	goto out;\n"                      /* 17 */
			   "out:\n"                               /* 18 */
			   "	return n ? x : g();\n}\n";        /* 19, 20 */
	const struct loop expected[] = { { 3, 6 }, { 5, 6 }, { 7, 10 }, { 11, 13 }, { 14, 16 } };

	(void)state;
	expect_loops(text, expected, 5);
}

static void test_loops_with_branches_and_directives(void **state)
{
	const char *text = "struct s { int a : 3; };\n"   /* 1 */
			   "#define LOOP for (;;) { \\\n" /* 2 */
			   "	while (1)\n"              /* 3 */
			   "static int t[] = { 1, 2 };\n" /* 4 */
			   "void f(void) {\n"             /* 5 */
			   "	switch (x) {\n"           /* 6 */
			   "	case 1: while (a)\n"      /* 7 */
			   "		if (b) c();\n"    /* 8 */
			   "		else d();\n"      /* 9 */
			   "	default: break;\n"        /* 10 */
			   "	}\n"                      /* 11 */
			   "}\n";
	const struct loop expected[] = { { 7, 9 } };

	(void)state;
	expect_loops(text, expected, 1);
}

static void test_loops_accept_anything(void **state)
{
	static const char pieces[][8] = { "{",    "}",      "(",    ")",   "for", "while",
					  "do",   "goto a", "a:",   ";",   "\n",  "\"",
					  "'",    "/*",     "*/",   "//",  "#if", "\\",
					  "\\\n", "if",     "else", "case" };
	char text[4000];
	uint64_t seed = 1;

	(void)state;
	for (int k = 0; k < 3000; k++) {
		struct loops l = { 0 };
		size_t n = 0;

		while (n < 300) {
			const char *piece =
				pieces[random_below(&seed, sizeof pieces / sizeof *pieces)];

			n += (size_t)sprintf(text + n, "%s ", piece);
		}
		loops_parse(&l, text);
		for (uint32_t i = 0; i < l.n; i++)
			assert_true(l.list[i].first >= 1 && l.list[i].first <= l.list[i].last);
		loops_free(&l);
	}
	memset(text, '{', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	{
		struct loops l = { 0 };

		loops_parse(&l, text);
		assert_int_equal(l.n, 0);
		loops_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops_of_each_kind),
		cmocka_unit_test(test_loops_with_branches_and_directives),
		cmocka_unit_test(test_loops_accept_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
