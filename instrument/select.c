/* SPDX-License-Identifier: MIT
 *
 * Which modules and functions are instrumented: LINCHPIN_INSTRUMENT and LINCHPIN_SKIP.
 */
#include "../runtime/modules.h"
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
static bool matches(const char *list, const char *s)
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

bool skipped(const struct function *f)
{
	return f->name && matches(rt->config.skip, f->name);
}

bool function_selected(const struct module *m, const struct function *f)
{
	const char *name = f->name ? f->name : "?";

	if (equal(name, "_start") || equal(name, "deregister_tm_clones") ||
	    equal(name, "register_tm_clones") || equal(name, "__do_global_dtors_aux") ||
	    equal(name, "frame_dummy") || equal(name, "linchpin_find_"))
		return false;
	if (*rt->config.instrument && !matches(rt->config.instrument, name) &&
	    !matches(rt->config.instrument, base_name(m->path)))
		return false;
	return true;
}
