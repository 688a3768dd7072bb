/* SPDX-License-Identifier: MIT
 *
 * The loops of a C source file, by line.
 */
#ifndef LINCHPIN_REPAIR_LOOPS_H
#define LINCHPIN_REPAIR_LOOPS_H

#include "base/util.h"
#include "source/frame.h"

struct loop {
	uint32_t first, last; /* lines, from 1, header and last line of the body included */
};

struct loops {
	struct loop *list;
	uint32_t n, capacity;
};

/* Finds for, while, do, backward goto, and macros followed by a block (list_for_each). Any text is
 * accepted; what is not C gives some answer. Zero-initialise *l. */
void loops_parse(struct loops *l, const char *text);
void loops_free(struct loops *l);
/* The innermost loop that contains both lines, or NULL. */
const struct loop *loops_around(const struct loops *l, uint32_t a, uint32_t b);

/* The loops of the files of a source map, each parsed when it is first asked for. Zero-initialise. */
struct file_loops {
	struct file_loops_entry {
		const char *file;
		bool known; /* there is a text */
		struct loops loops;
	} * list;
	uint32_t n, capacity;
};

/* Valid until the next call; NULL: there is no text of the file. */
const struct loops *file_loops_of(struct file_loops *f, const struct source_map *map, const char *file);
void file_loops_free(struct file_loops *f);

#endif
