/* SPDX-License-Identifier: MIT */
#include "lin/orders.h"

#include <stdlib.h>

void orders_init(struct orders *o)
{
	*o = (struct orders){ 0 };
	VEC_GROW(o->edges, o->nedges, o->edges_capacity);
	o->edges[o->nedges++] = (struct orders_edge){ 0 }; /* "none" */
	orders_add(o);                                     /* ORDERS_NOTHING */
	orders_add(o);                                     /* ORDERS_ANYTHING */
}

void orders_free(struct orders *o)
{
	free(o->edges);
	free(o->nodes);
	*o = (struct orders){ 0 };
}

uint32_t orders_add(struct orders *o)
{
	VEC_GROW(o->nodes, o->nnodes, o->nodes_capacity);
	o->nodes[o->nnodes] = (struct orders_node){ 0 };
	return o->nnodes++;
}

void orders_edge(struct orders *o, uint32_t from, uint32_t to, uint32_t object, uint32_t symbol,
		 struct value result)
{
	for (uint32_t i = o->nodes[from].first; i; i = o->edges[i].next) {
		const struct orders_edge *e = &o->edges[i];

		if (e->to == to && e->object == object && e->symbol == symbol &&
		    e->result.tag == result.tag && e->result.v == result.v)
			return;
	}
	VEC_GROW(o->edges, o->nedges, o->edges_capacity);
	o->edges[o->nedges] =
		(struct orders_edge){ to, o->nodes[from].first, object, symbol, result };
	o->nodes[from].first = o->nedges++;
}

void orders_open(struct orders *o, uint32_t node)
{
	o->nopen += !o->nodes[node].open;
	o->nodes[node].open = true;
}
