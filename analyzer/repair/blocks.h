/* SPDX-License-Identifier: MIT
 *
 * Static atomic blocks and repairs: where a critical segment of a trace lies in the source.
 *
 * Source positions come through struct source_map, so that this code needs neither DWARF nor files.
 */
#ifndef LINCHPIN_REPAIR_BLOCKS_H
#define LINCHPIN_REPAIR_BLOCKS_H

#include "base/util.h"
#include "source/frame.h"

/* Lines first..last of one function. The strings belong to the source map. */
struct block {
	const char *file, *function;
	uint32_t first, last;
};

/* A set of blocks: disjoint, sorted by file, function and line. */
struct repair {
	struct block *blocks;
	uint32_t nblocks;
};

/* Does `inner` lie inside `outer`? */
bool block_inside(const struct block *inner, const struct block *outer);

void repair_init(struct repair *r);
void repair_free(struct repair *r);
void repair_copy(struct repair *to, const struct repair *from);
/* Adds a block; blocks of one function that share a line become one. */
void repair_add(struct repair *r, const struct block *b);
/* Adds all blocks of `from`. */
void repair_unite(struct repair *r, const struct repair *from);
/* Does each block of `b` lie inside some block of `a`? */
bool repair_subsumes(const struct repair *a, const struct repair *b);
bool repair_equal(const struct repair *a, const struct repair *b);
/* A total order: fewer lines, then fewer blocks, then position. */
int repair_compare(const struct repair *a, const struct repair *b);
uint32_t repair_lines(const struct repair *r);

#endif
