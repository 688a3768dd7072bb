/* SPDX-License-Identifier: MIT
 *
 * The sequential behaviour of objects as it was observed: a tree for each object, whose paths are
 * the orders in which operations followed each other, with their results. What a path is called
 * after, a symbol, stands for an operation of a certain thread with its arguments.
 */
#ifndef LINCHPIN_LIN_ORDERS_H
#define LINCHPIN_LIN_ORDERS_H

#include "lin/history.h"

#define ORDERS_NOTHING 0u /* the root of an object that was never seen: nothing follows it */

struct orders {
	struct orders_node {
		uint32_t symbol;
		struct value result;
		uint32_t child, sibling; /* 0: none */
	} * nodes;
	uint32_t n, capacity;
};

void orders_init(struct orders *o);
void orders_free(struct orders *o);

/* The root of one more object. */
uint32_t orders_root(struct orders *o);

/* The node that follows `node` by this operation with this result; made if it is not there. */
uint32_t orders_follow(struct orders *o, uint32_t node, uint32_t symbol, struct value result);

#endif
