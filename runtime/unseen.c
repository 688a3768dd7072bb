/* SPDX-License-Identifier: MIT
 *
 * What was not seen, said once for each text.
 */
#include "unseen.h"
#include "state.h"
#include "trace.h"

#include <stdarg.h>

void unseen(const char *what, ...)
{
	struct text t = { 0 };
	va_list parts;

	va_start(parts, what);
	for (; what; what = va_arg(parts, const char *))
		text_add(&t, "%s", what);
	va_end(parts);
	text_add(&t, "%c", '\0');
	rt->status->limits |= LP_LIMIT_UNSEEN;
	trace_note(t.s);
}
