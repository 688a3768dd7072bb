/* SPDX-License-Identifier: MIT
 *
 * Static atomic blocks and repairs: where a critical segment of a trace lies in the source.
 *
 * Source positions come through struct source_map, so that this code needs neither DWARF nor files.
 */
#ifndef LINCHPIN_BLOCKS_H
#define LINCHPIN_BLOCKS_H

#include "../trace.h"

/* One function on the stack of an event. Functions that the compiler inlined are frames like any
 * other. */
struct source_frame {
	const char *function; /* NULL: unknown */
	const char *file;     /* NULL: unknown */
	uint32_t line; /* of the access, or of the call that leads to the next frame; 0: unknown */
	uint32_t column;  /* 0: unknown */
	uint64_t address; /* tells positions on one line apart, and puts them in order: the program
			   * counter of the access or the return address of the call; for a call
			   * that was inlined, the first address of the inlined body. Distinct
			   * modules have distinct addresses. */
	uint32_t until;   /* the compiler made one instruction of several statements and gave it no
			   * line: they are between `line` and this one. Else 0 */
};

static inline uint32_t frame_last_line(const struct source_frame *f)
{
	return f->until > f->line ? f->until : f->line;
}

/* What the source map must offer. */
struct source_map {
	/* The frames of a site, outermost (the thread's start) first, the access itself last; 0 if
	 * nothing is known. Everything stays valid, at the same address, as long as the source map
	 * lives. */
	uint32_t (*frames)(void *data, uint32_t site, const struct source_frame **frames);
	/* The text of a source file (a `file` of some frame), NUL-terminated, or NULL; used to find
	 * loops. The callback itself may be NULL. The text need not outlive the next call. */
	const char *(*text)(void *data, const char *file);
	void *data;
};

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
