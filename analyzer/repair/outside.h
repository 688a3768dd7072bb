/* SPDX-License-Identifier: MIT
 *
 * What a lock around blocks does not keep out by itself.
 */
#ifndef LINCHPIN_REPAIR_OUTSIDE_H
#define LINCHPIN_REPAIR_OUTSIDE_H

#include "repair/flow.h"
#include "run/trace.h"

/* Can code that does this be put under a lock to protect memory? Reads, writes, frees, and trylocks
 * that fail: they see that a lock is held. */
bool outside_counts(const struct event *e);

/* Calls `found` for accesses that are not inside and conflict with one inside in this execution, where
 * nothing but the schedule puts the two in order: not creation and join of threads. What a thread
 * accesses again from one place is one access: `inside` must not differ there. */
void outside_of(const struct trace *t, bool (*inside)(void *data, const struct event *e),
		void (*found)(void *data, const struct event *outside), void *data);

/* The same, inside of blocks. */
void outside_conflicts(struct flows *f, const struct trace *t, const struct repair *blocks,
		       void (*found)(void *data, const struct event *outside), void *data);

#endif
