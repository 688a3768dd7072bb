/* SPDX-License-Identifier: MIT
 *
 * The correct variant of structures/optimistic_list on its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "structures_set.h"
#include "../../structures/optimistic_list/optimistic_list.c"

SET_TESTS(optimistic_list)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_stress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
