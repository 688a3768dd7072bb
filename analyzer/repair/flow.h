/* SPDX-License-Identifier: MIT
 *
 * How control went from one event of an operation to the next: which function activation they
 * share, and whether a loop went round in it.
 */
#ifndef LINCHPIN_REPAIR_FLOW_H
#define LINCHPIN_REPAIR_FLOW_H

#include "repair/blocks.h"
#include "repair/loops.h"

enum jump {
	JUMP_NONE, /* straight on */
	JUMP_LOOP, /* back to the head of a loop of which the source is known */
	JUMP_BACK, /* back by a loop that was not found in the source */
};

struct flow {
	/* index of the innermost frame whose activation both events share; NONE: nothing is known
	 * of one of them, or they have nothing in common */
	uint32_t depth;
	enum jump jump;   /* what control did in that activation */
	struct loop loop; /* JUMP_LOOP: its lines, in the function at `depth` */
};

struct flows;

/* The source map must outlive it. */
struct flows *flows_new(const struct source_map *map);
void flows_free(struct flows *f);
const struct source_map *flows_map(const struct flows *f);

/* From an event at site a to the next one of its operation instance, at site b. Remembered by pair
 * of sites; *number (may be NULL) counts the pairs from 0. The result is valid until the next
 * call. */
const struct flow *flows_between(struct flows *f, uint32_t a, uint32_t b, uint32_t *number);

/* Frame `depth` of a site, or NULL. */
const struct source_frame *flows_frame(const struct flows *f, uint32_t site, uint32_t depth);

/* How many of the frames are the program's own. */
uint32_t flows_own(const struct flows *f, uint32_t site);

/* Is an event at the site in one of these blocks, or called from there? */
bool flows_inside(const struct flows *f, uint32_t site, const struct repair *blocks);

/* Is an event at the site in block b: 1, or 2 if the function of the block was called from a place in block c? Else 0. */
unsigned flows_nested(const struct flows *f, uint32_t site, const struct block *b, const struct block *c);

/* Are two neighbouring events of an operation in one instance of block b: was it not left between
 * them? */
bool flows_stay(struct flows *f, uint32_t site_a, uint32_t site_b, const struct block *b);

#endif
