/* SPDX-License-Identifier: MIT
 *
 * Which functions go by their names.
 */
#include "instrument.h"

/* One pattern with * and ?. */
static bool glob(const char *pattern, const char *end, const char *s)
{
	while (pattern < end && *pattern != '*') {
		if (!*s || (*pattern != '?' && *pattern != *s))
			return false;
		pattern++, s++;
	}
	if (pattern == end)
		return !*s;
	for (;; s++) {
		if (glob(pattern + 1, end, s))
			return true;
		if (!*s)
			return false;
	}
}

/* Any of the patterns in a list with commas. */
bool name_matches(const char *list, const char *s)
{
	while (*list) {
		const char *end = list;

		while (*end && *end != ',')
			end++;
		if (glob(list, end, s))
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

/* What templates that are compiled into the program call in libstdc++ for memory of the program: nodes
 * of lists and trees, the sizes of hash tables, strings. The code between them does not jump into
 * them, so it need not be looked at. */
bool works_on_containers(const char *name)
{
	static const char *const stems[] = {
		"_ZSt*_Rb_tree_*",
		"_ZNSt8__detail15_List_node_base*",
		"_ZNKSt8__detail20_Prime_rehash_policy*",
		"_ZSt11_Hash_bytes*",
		"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE*",
		"_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE*",
	};

	for (unsigned i = 0; i < sizeof stems / sizeof *stems; i++)
		if (name_matches(stems[i], name))
			return true;
	return false;
}
