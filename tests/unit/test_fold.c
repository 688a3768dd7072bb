/* SPDX-License-Identifier: MIT
 *
 * Rows that repeat.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/fold.h"

/* Rows are letters. */
static void check(const char *rows, uint32_t from, uint32_t period, uint32_t times)
{
	uint32_t n = (uint32_t)strlen(rows), *numbers = xcalloc(n, sizeof *numbers);
	struct fold f;

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = (uint32_t)rows[i];
	f = fold_at(numbers, n, from);
	free(numbers);
	if (f.period != period || f.times != times)
		fail_msg("%s from %u on: %u times %u rows", rows, from, f.times, f.period);
}

static void test_periods(void **state)
{
	check("aaaaaaaab", 0, 1, 8);
	check("xabababab", 1, 2, 4);
	check("ababababa", 0, 2, 4); /* half a round is left */
	check("aabaabaabc", 0, 3, 3);
	check("abcdefghabcdefghabcdefgh", 0, 8, 3);
	check("abcdefghiabcdefghiabcdefghi", 0, 1, 1); /* nine rows */
}

static void test_not_worth_while(void **state)
{
	check("a", 0, 1, 1);
	check("aaaab", 0, 1, 1);
	check("abcabcd", 0, 1, 1);
	check("abcdefg", 3, 1, 1);
	check("baaaaaaaa", 0, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_not_worth_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
