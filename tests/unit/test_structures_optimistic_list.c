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

/* The structure never frees its nodes. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static bool add(void *list, int key)
{
	return optimistic_list_add(list, key);
}

static bool remove_key(void *list, int key)
{
	return optimistic_list_remove(list, key);
}

static bool contains(void *list, int key)
{
	return optimistic_list_contains(list, key);
}

static const struct set_operations operations = { add, remove_key, contains };

static void test_sequential(void **state)
{
	set_sequential(optimistic_list_create(), &operations);
}

static void test_stress(void **state)
{
	set_stress(optimistic_list_create(), &operations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_stress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
