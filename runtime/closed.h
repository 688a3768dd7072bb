/* SPDX-License-Identifier: MIT
 *
 * Closed sets: the states in which a livelock goes round for ever. They give it a name, and say what
 * each thread does in it.
 */
#ifndef LP_CLOSED_H
#define LP_CLOSED_H

#include "event.h"

#define MAX_PARTS_CLOSED 48

struct closed {
	uint64_t name; /* the same, whatever way leads there */
	uint32_t node; /* one of them */
	const uint8_t *way; /* the threads to run to get there, from where it was looked for */
	uint32_t nway;
	uint32_t n;
	struct event steps[MAX_PARTS_CLOSED]; /* by thread: what it does at each point */
};

void closed_init(void);

/* A new graph. Then its edges: nodes are numbers, `step` leads from one to the other. */
void closed_begin(void);
void closed_edge(uint32_t from, uint32_t to, const struct event *step);

/* All edges of `nodes` nodes are there, and no end. A closed set that can be reached from node 0,
 * without the way; states[] names the nodes. In memory of the runtime, for ever. */
struct closed *closed_find(uint32_t nodes, const uint64_t *states);

#endif
