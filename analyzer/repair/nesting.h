/* SPDX-License-Identifier: MIT
 *
 * Deadlocks by the order in which locks are taken, and one lock more around all that nests them.
 */
#ifndef LINCHPIN_REPAIR_NESTING_H
#define LINCHPIN_REPAIR_NESTING_H

#include "repair/blocks.h"
#include "run/trace.h"

/* A thread takes the lock `second` while it holds `first`. */
struct nesting {
	uint32_t first, second;           /* locations */
	uint32_t first_site, second_site; /* of the two calls */
	struct block block;               /* from the first call to the second one */
	bool located;                     /* there is such a block */
};

/* Locks that threads wait for in a circle, locations, sorted. */
struct lock_circle {
	uint32_t *locks;
	uint32_t n;
};

struct nestings;

/* `map` is copied, its data must outlive the result. `operations`: as for order_outside(). */
struct nestings *nestings_new(const struct source_map *map, bool operations);
void nestings_free(struct nestings *n);
/* Remembers the nestings of a trace; at its end there may be pending events. */
void nestings_add(struct nestings *n, const struct trace *t);
/* The i-th different one of those seen, or NULL. */
const struct nesting *nestings_get(const struct nestings *n, uint32_t i);

/* Do threads wait in a circle for locks at the end of this trace? Free c->locks. */
bool lock_circle_find(const struct trace *t, struct lock_circle *c);
/* Is this a nesting of two locks of the circle? */
bool lock_circle_has(const struct lock_circle *c, const struct nesting *n);

/* Does a thread try to take a lock of the circle without waiting for it? It sees who holds it. */
bool lock_circle_tried(const struct nestings *n, const struct lock_circle *c);

/* A block around each nesting of two locks of the circle. If they exclude each other, by one lock
 * that is taken before the others, nobody can hold one lock of the circle and wait for another.
 * False if one of them cannot be a block. */
bool nestings_gate(const struct nestings *n, const struct lock_circle *c, struct repair *r);

#endif
