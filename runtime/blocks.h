/* SPDX-License-Identifier: MIT
 *
 * Blocks in force: which events of a thread are one step.
 */
#ifndef LP_RUNTIME_BLOCKS_H
#define LP_RUNTIME_BLOCKS_H

#include "../format/blocks.h"

#include <stdbool.h>
#include <stdint.h>

struct event;
struct fiber;

/* Where a fiber's latest event was. */
struct place {
	uint64_t pc;
	uint32_t context;
	uint32_t shared; /* calls of the context that have not returned since */
	uint8_t kind;
	bool known;
	bool split; /* control has left all blocks since the latest step */
};

/* Reads LINCHPIN_BLOCKS, if it is set; into the run directory, too. */
void blocks_init(void);

/* Is the event that the fiber has announced glued to its latest one? */
bool blocks_glued(const struct fiber *f);

/* Does it belong to an instance of a block? */
bool blocks_inside(const struct fiber *f);

/* The fiber's event has happened, or is noted. */
void blocks_place(struct fiber *f, const struct event *e);

/* The block that the announced event belongs to, as its file names it; NULL. */
const char *blocks_name(const struct fiber *f);

/* The depth of calls that the context and the fiber have in common has become this. */
#define blocks_returned(f, depth)                                                                  \
	((f)->place.shared = (depth) < (f)->place.shared ? (depth) : (f)->place.shared)

#endif
