/* SPDX-License-Identifier: MIT */
#include "lin/orders.h"

#include <stdlib.h>

static uint32_t add_node(struct orders *o, uint32_t symbol, struct value result)
{
	VEC_GROW(o->nodes, o->n, o->capacity);
	o->nodes[o->n] = (struct orders_node){ .symbol = symbol, .result = result };
	return o->n++;
}

void orders_init(struct orders *o)
{
	*o = (struct orders){ 0 };
	orders_root(o); /* ORDERS_NOTHING */
}

void orders_free(struct orders *o)
{
	free(o->nodes);
	*o = (struct orders){ 0 };
}

uint32_t orders_root(struct orders *o)
{
	return add_node(o, 0, (struct value){ 0 });
}

uint32_t orders_follow(struct orders *o, uint32_t node, uint32_t symbol, struct value result)
{
	uint32_t child;

	for (child = o->nodes[node].child; child; child = o->nodes[child].sibling) {
		const struct orders_node *c = &o->nodes[child];

		if (c->symbol == symbol && c->result.tag == result.tag && c->result.v == result.v)
			return child;
	}
	child = add_node(o, symbol, result);
	o->nodes[child].sibling = o->nodes[node].child;
	o->nodes[node].child = child;
	return child;
}
