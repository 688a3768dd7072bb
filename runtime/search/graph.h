/* SPDX-License-Identifier: MIT
 *
 * The graph of states that a stateful search has met: its nodes are states in which several threads may be
 * chosen between, its edges what each of them did there, up to the next such state.
 */
#ifndef LP_GRAPH_H
#define LP_GRAPH_H

#include "../state.h"
#include "../words.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_NODE 0u /* as the end of an edge: an execution ended there */

/* What a step does, as far as others can tell. */
struct label {
	uint64_t addr, addr2;
	uint32_t size;
	uint8_t kind, flags, thread, access, reads_own;
	bool any; /* its order with all others matters */
};

struct edge {
	uint32_t to;    /* a node */
	uint32_t label; /* the n-th */
	uint32_t next;  /* of the same node; 0: none */
};

struct node {
	struct state_sum state; /* zero: it cannot be told */
	uint32_t edges;         /* the first; 0: none */
	uint32_t open;          /* 1 + log index, while it is on the stack of the search; 0 */
	uint32_t stamp;         /* of the latest walk that came here */
	uint32_t kept;          /* 1 + its words, with --audit; 0 */
};

struct graph {
	struct node *nodes; /* [1..n] */
	struct edge *edges; /* [1..nedges] */
	struct label *labels; /* [0..nlabels) */
	uint32_t *label_stamps; /* like those of nodes */
	uint32_t n, capacity, nedges, edges_capacity, nlabels, labels_capacity;
	uint32_t *slots, mask; /* of nodes, by state */
	uint32_t *label_slots, label_mask;
	uint32_t *stack, stack_capacity;
	uint32_t stamp;
};

void graph_make(struct graph *g);
void graph_forget(struct graph *g); /* all of it */

/* Only so many nodes and edges stay. */
void graph_shrink(struct graph *g, uint32_t nodes, uint32_t edges);

uint32_t graph_find(const struct graph *g, const struct state_sum *state); /* NO_NODE: it is new */
uint32_t graph_add(struct graph *g, const struct state_sum *state);       /* NULL: it cannot be told */

uint32_t graph_edge(struct graph *g, uint32_t from, const struct label *label, uint32_t to);

/* The edge of this thread; NULL: none yet. */
const struct edge *graph_edge_of(const struct graph *g, uint32_t node, unsigned thread);

void label_of(struct label *l, const struct event *e);

/* Of different threads: does their order matter? */
bool labels_conflict(const struct label *a, const struct label *b);

/* Calls edge() for what edges that can be reached from a node do, once for each kind, until it says stop. Where the node is on the
 * stack of the search, not all that can be reached is known: open() is called, and says the same. */
struct walk {
	bool (*edge)(void *data, const struct label *label);
	bool (*open)(void *data, const struct node *node);
	void *data;
};
void graph_walk(struct graph *g, uint32_t node, const struct walk *w);

/* Are there states from which no end can be reached? */
bool graph_has_trap(struct graph *g);

#endif
