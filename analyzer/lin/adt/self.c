/* SPDX-License-Identifier: MIT
 *
 * The structure's own sequential behaviour as its specification: an order of operations is allowed
 * iff an execution of the same client was seen that ran them one at a time in this order with these
 * results (history->orders).
 *
 * The state is a set of states of the program, those in which it may be right after the last
 * operation of this object. They are many because other things happen in between (operations of
 * other objects, what threads do by themselves), and because an operation that never returned may
 * have any result. An operation that never returned in a sequential execution either, because it
 * waits there, has no edge: it is not possible in that state.
 *
 * If the history says so (history->lenient), what may follow an open state is allowed, too; and so is
 * anything after an operation that failed because another one was busy (weak): one at a time it does not
 * fail, so nothing is known of what its thread does then.
 */
#include "lin/adt.h"
#include "lin/orders.h"
#include "lin/problem.h"

#include <stdlib.h>

static void init(struct state *s, const int64_t *parameters, int n)
{
	const struct history *h = s->problem->history;

	state_push(s, h->orders->root);
}

struct nodes {
	uint32_t *list, n, capacity;
};

/* Keeps the list sorted; equal sets of states are equal. */
static void add_sorted(struct nodes *set, uint32_t node)
{
	uint32_t at = set->n;

	while (at && set->list[at - 1] > node)
		at--;
	if (at && set->list[at - 1] == node)
		return;
	VEC_GROW(set->list, set->n, set->capacity);
	for (uint32_t i = set->n++; i > at; i--)
		set->list[i] = set->list[i - 1];
	set->list[at] = node;
}

/* What was reached so far, in the order in which it was, with a table to find it. */
struct reached {
	struct nodes nodes;
	uint32_t *table; /* places in the list, from 1; size is a power of two */
	uint32_t size;
};

static uint32_t *place(const struct reached *r, uint32_t node)
{
	uint32_t i = node * 2654435761u;

	for (;; i++) {
		uint32_t *slot = &r->table[i & (r->size - 1)];

		if (!*slot || r->nodes.list[*slot - 1] == node)
			return slot;
	}
}

static void add_last(struct reached *r, uint32_t node)
{
	struct nodes *set = &r->nodes;
	uint32_t *slot;

	if (2 * set->n >= r->size) {
		r->size = r->size ? 2 * r->size : 16;
		free(r->table);
		r->table = xcalloc(r->size, sizeof *r->table);
		for (uint32_t i = 0; i < set->n; i++)
			*place(r, set->list[i]) = i + 1;
	}
	slot = place(r, node);
	if (*slot)
		return;
	VEC_GROW(set->list, set->n, set->capacity);
	set->list[set->n++] = node;
	*slot = set->n;
}

static bool same_result(const struct lin_op *op, const struct value *result,
			const struct value *seen)
{
	return (op->flags & OP_PENDING) || result->tag == VALUE_UNKNOWN ||
	       (result->tag == seen->tag && result->v == seen->v);
}

/* What follows `from` by the operation, and by what is none of this object's before it. */
static void follow(const struct history *h, const struct lin_op *op, struct reached *from,
		   struct nodes *to)
{
	const struct history_op *wanted = &h->ops[op->id];
	uint32_t number = h->objects[wanted->object].number;

	for (uint32_t i = 0; i < from->nodes.n; i++) {
		const struct orders_node *node = &h->orders->nodes[from->nodes.list[i]];

		if (from->nodes.list[i] == ORDERS_ANYTHING ||
		    (h->lenient && (node->open || wanted->weak)))
			add_sorted(to, ORDERS_ANYTHING);
		for (uint32_t k = node->first; k; k = h->orders->edges[k].next) {
			const struct orders_edge *e = &h->orders->edges[k];

			if (e->object != number)
				add_last(from, e->to);
			else if (e->symbol == wanted->symbol &&
				 same_result(op, &wanted->result, &e->result))
				add_sorted(to, e->to);
		}
	}
}

static enum step step(struct state *s, const struct lin_op *op)
{
	struct reached from = { 0 };
	struct nodes to = { 0 };

	for (uint32_t i = s->head; i < s->n; i++)
		add_last(&from, (uint32_t)s->w[i]);
	follow(s->problem->history, op, &from, &to);
	if (to.n) {
		while (state_size(s))
			state_pop(s);
		for (uint32_t i = 0; i < to.n; i++)
			state_push(s, to.list[i]);
	}
	free(from.nodes.list);
	free(from.table);
	free(to.list);
	return to.n ? STEP_CHANGED : STEP_ILLEGAL;
}

static const struct adt self = {
	.names = "self itself",
	.noun = "structure that runs one operation at a time",
	.traits = ADT_ORDERS,
	.init = init,
	.step = step,
};

const struct adt *const adt_self[] = { &self, NULL };
