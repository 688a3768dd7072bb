/* SPDX-License-Identifier: MIT
 *
 * The structure's own sequential behaviour as its specification: an order of operations is allowed
 * iff an execution of the same client was seen that ran them one at a time in this order with these
 * results (history->orders).
 *
 * The state is the place in the tree of orders. It is a set of nodes, because an operation that
 * never returned may have any result; only a client that is not deterministic makes it more than
 * one. An operation that never returned in a sequential execution either, because it waits there,
 * has no node: it is not possible in that state.
 */
#include "lin/adt.h"
#include "lin/orders.h"
#include "lin/problem.h"

#include <stdlib.h>

static void init(struct state *s, const int64_t *parameters, int n)
{
	const struct history *h = s->problem->history;

	state_push(s, h->nobjects ? h->objects[s->part->object].root : ORDERS_NOTHING);
}

struct places {
	uint32_t *nodes, n, capacity;
};

static bool same_result(const struct lin_op *op, const struct value *result,
			const struct value *seen)
{
	return (op->flags & OP_PENDING) || result->tag == VALUE_UNKNOWN ||
	       (result->tag == seen->tag && result->v == seen->v);
}

static enum step step(struct state *s, const struct lin_op *op)
{
	const struct history *h = s->problem->history;
	const struct history_op *from = &h->ops[op->id];
	struct places next = { 0 };

	for (uint32_t i = s->head; i < s->n; i++) {
		uint32_t node = h->orders->nodes[s->w[i]].child;

		for (; node; node = h->orders->nodes[node].sibling) {
			const struct orders_node *c = &h->orders->nodes[node];

			if (c->symbol != from->symbol ||
			    !same_result(op, &from->result, &c->result))
				continue;
			VEC_GROW(next.nodes, next.n, next.capacity);
			next.nodes[next.n++] = node;
		}
	}
	if (next.n) {
		while (state_size(s))
			state_pop(s);
		for (uint32_t i = 0; i < next.n; i++)
			state_push(s, next.nodes[i]);
	}
	free(next.nodes);
	return next.n ? STEP_CHANGED : STEP_ILLEGAL;
}

static const struct adt self = {
	.names = "self itself",
	.noun = "structure that runs one operation at a time",
	.traits = ADT_ORDERS,
	.init = init,
	.step = step,
};

const struct adt *const adt_self[] = { &self, NULL };
