/* SPDX-License-Identifier: MIT
 *
 * Blocks of a repair that lie in what its other blocks call: those hold them, so they are not needed. The block of one trace
 * may be the inner half of that of another.
 */
#ifndef LINCHPIN_REPAIR_INNER_H
#define LINCHPIN_REPAIR_INNER_H

#include "repair/flow.h"
#include "repair/list.h"
#include "run/trace.h"

/* Where events were. Zero-initialise. */
struct sites {
	bool *seen; /* by number */
	size_t n;
};

void sites_see(struct sites *s, const struct trace *t);
void sites_free(struct sites *s);

/* The repairs without such blocks, as far as was seen. */
void inner_leave_out(const struct flows *flows, const struct sites *s, struct repair_list *repairs);

#endif
