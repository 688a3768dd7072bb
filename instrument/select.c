/* SPDX-License-Identifier: MIT
 *
 * Which modules and functions are instrumented: LINCHPIN_INSTRUMENT and LINCHPIN_SKIP.
 */
#include "../runtime/modules.h"
#include "instrument.h"

bool skipped(const struct function *f)
{
	return f->name && name_matches(rt->config.skip, f->name);
}

bool function_selected(const struct module *m, const struct function *f)
{
	const char *name = f->name ? f->name : "?";

	if (equal(name, "_start") || equal(name, "deregister_tm_clones") ||
	    equal(name, "register_tm_clones") || equal(name, "__do_global_dtors_aux") ||
	    equal(name, "frame_dummy") || equal(name, "linchpin_find_"))
		return false;
	if (m->partly && !works_on_containers(name))
		return false;
	if (*rt->config.instrument && !name_matches(rt->config.instrument, name) &&
	    !name_matches(rt->config.instrument, base_name(m->path)))
		return false;
	return true;
}
