/* SPDX-License-Identifier: MIT
 *
 * The sequential behaviour of a program as it was observed: a graph of the states that it was in
 * between operations. An edge is an operation of an object, with its result, or something else that
 * a thread did. What an operation is called after, a symbol, stands for an operation of a certain
 * thread with its arguments. The orders of an object are the paths, with all but its own operations
 * left out.
 *
 * A state that was not left in every possible way is open.
 */
#ifndef LINCHPIN_ORDERS_H
#define LINCHPIN_ORDERS_H

#include "lin/history.h"

#define ORDERS_NOTHING  0u /* a state that nothing follows */
#define ORDERS_ANYTHING 1u /* a state that is not known: every operation may follow, always */
#define ORDERS_SILENT   UINT32_MAX /* as an edge's object: no operation */

struct orders {
	struct orders_edge {
		uint32_t to, next; /* next of the same state, 0: none */
		uint32_t object, symbol;
		struct value result;
	} * edges;
	struct orders_node {
		uint32_t first; /* edge, 0: none */
		bool open;
	} * nodes;
	uint32_t nedges, edges_capacity, nnodes, nodes_capacity;
	uint32_t root;  /* where all begins */
	uint32_t nopen; /* states that are open */
};

void orders_init(struct orders *o);
void orders_free(struct orders *o);

/* One more state; not open. */
uint32_t orders_add(struct orders *o);
/* An edge, if it is not there. An operation's object is a number from 0. */
void orders_edge(struct orders *o, uint32_t from, uint32_t to, uint32_t object, uint32_t symbol,
		 struct value result);
void orders_open(struct orders *o, uint32_t node);

#endif
