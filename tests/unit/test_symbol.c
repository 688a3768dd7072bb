/* SPDX-License-Identifier: MIT
 *
 * Names of symbol tables as they are shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/private.h"

static void test_names(void **state)
{
	static const char *const names[][2] = {
		{ "main", "main" },
		{ "_Zbroken", "_Zbroken" },
		{ "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
		  "std::__cxx11::basic_string::_M_append" },
		{ "_ZN12_GLOBAL__N_16hiddenE", "anonymous::hidden" },
		{ "_Z3addIiET_S0_S0_", "add" }, /* int add<int>(int, int) */
		{ "_ZN1spLEi", "s::operator+=(int)" },
		{ "_ZNSt3mapIiSt10unique_ptrI7sessionSt14default_deleteIS1_EESt4lessIiESaISt4pairIKiS4_EEE5eraseERS8_",
		  "std::map::erase" },
		{ "_ZNK4list5countEv", "list::count" }, /* const */
	};

	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			assert_string_equal(symbol_shown(names[i][0]), names[i][1]);
	assert_null(symbol_shown(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
