/* SPDX-License-Identifier: MIT
 *
 * A bounded run of the differential fuzzing: every way of checking against an oracle that tries
 * every order. `make fuzz-lin` does much more of it.
 */
#include "../lin/oracle.c"
#include "../lin/generate.c"
#include "../lin/compare.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT 3000

static void agree(void **state)
{
	for (int kind = 0; kind < K_COUNT; kind++) {
		struct tally t = { 0 };

		assert_true(compare_many((enum kind)kind, 42, COUNT, &t));
		/* The histories are of both kinds, or the comparison would say little. */
		assert_int_equal(t.histories, COUNT);
		assert_true(t.linearizable > COUNT / 2 && t.linearizable < COUNT);
		assert_true(t.witnesses == COUNT - t.linearizable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(agree) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
