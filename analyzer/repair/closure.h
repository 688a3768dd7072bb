/* SPDX-License-Identifier: MIT
 *
 * What a lock has to hold, so that it does what atomic blocks do.
 *
 *	closure_new
 *	closure_see	for each trace
 *	closure_make	for a repair
 */
#ifndef LINCHPIN_REPAIR_CLOSURE_H
#define LINCHPIN_REPAIR_CLOSURE_H

#include "repair/blocks.h"
#include "run/trace.h"

/* A critical section that a block begins or ends in. */
struct section {
	uint32_t lock;                 /* location */
	uint32_t first_site, last_site; /* of taking and releasing it */
	struct block lines;            /* from the one to the other */
	struct block whole;            /* and what the block needs besides */
};

struct closed {
	struct repair blocks; /* what one new lock has to be held for */
	struct section *sections;
	uint32_t nsections, sections_capacity;
	/* A section that ought to be in a block waits for other threads: site of the wait, NONE. Or it
	 * cannot be in a block, as it is in no single function or operation. */
	uint32_t wait_site;
	bool impossible;
};

struct closure;

/* `map` is copied, its data must outlive the closure and what it makes. `operations`: as for
 * order_outside(). */
struct closure *closure_new(const struct source_map *map, bool operations);
void closure_free(struct closure *c);
/* Keeps a copy of the trace if it has something new. Bounded: what is missed shows when the result is
 * explored. */
void closure_see(struct closure *c, const struct trace *t);
/* The i-th trace that was kept, or NULL. */
const struct trace *closure_trace(const struct closure *c, uint32_t i);
/* The closure of a repair. Free it with closed_free. */
void closure_make(struct closure *c, const struct repair *r, struct closed *to);
/* Only whole critical sections: what atomic blocks need so that nobody stands in front of one with a lock
 * that another thread asks for inside. */
void closure_make_sections(struct closure *c, const struct repair *r, struct closed *to);
void closed_free(struct closed *c);

#endif
