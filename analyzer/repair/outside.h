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

/* Calls `found` for accesses outside of the blocks that conflict with one inside in this execution,
 * where nothing but the schedule puts the two in order: not creation and join of threads. What a
 * thread accesses again from one place is named once. */
void outside_conflicts(struct flows *f, const struct trace *t, const struct repair *blocks,
		       void (*found)(void *data, const struct event *outside), void *data);

#endif
