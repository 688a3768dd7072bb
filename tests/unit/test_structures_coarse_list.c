/* SPDX-License-Identifier: MIT
 *
 * The correct variant of structures/coarse_list on its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "structures_set.h"
#include "../../structures/coarse_list/coarse_list.c"

SET_TESTS(coarse_list)

static void test_size(void **state)
{
	struct coarse_list *list = coarse_list_create();

	assert_int_equal(coarse_list_size(list), 0);
	coarse_list_add(list, 2);
	coarse_list_add(list, 1);
	coarse_list_add(list, 2);
	assert_int_equal(coarse_list_size(list), 2);
	coarse_list_remove(list, 1);
	assert_int_equal(coarse_list_size(list), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_stress),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
