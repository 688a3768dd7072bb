/* SPDX-License-Identifier: MIT
 *
 * Multiset (bag of equal members): a table from the members to how many there are.
 */
#include "lin/adt.h"

enum { ADD, REMOVE, CONTAINS, COUNT, SIZE };

static const struct adt_method methods[] = {
	{ "add insert put", ADD, 1, 1, M_SUCCEEDS | M_KEY | M_ADDS },
	{ "remove delete erase del discard", REMOVE, 1, 1, M_SUCCEEDS | M_KEY },
	{ "contains find member has lookup search get exists", CONTAINS, 1, 1, M_READS | M_KEY },
	{ "count multiplicity", COUNT, 1, 1, M_READS | M_KEY },
	{ "size length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ 0 },
};

static enum step add(struct state *s, const struct lin_op *op, int64_t count)
{
	if (!op_says(op, true))
		return STEP_ILLEGAL;
	table_put(s, op->a, count + 1);
	return STEP_CHANGED;
}

static enum step take(struct state *s, const struct lin_op *op, int64_t count)
{
	if (!op_says(op, count > 0))
		return STEP_ILLEGAL;
	if (!count)
		return STEP_SAME;
	if (count == 1)
		table_remove(s, op->a);
	else
		table_put(s, op->a, count - 1);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t count = table_get(s, op->a, 0), sum = 0;

	switch (op->code) {
	case ADD:
		return add(s, op, count);
	case REMOVE:
		return take(s, op, count);
	case CONTAINS:
		return op_answers(op, count > 0);
	case COUNT:
		return op_looks(op, count);
	case SIZE:
		for (uint32_t i = 0; i < s->n; i += 2)
			sum += s->w[i + 1];
		return op_looks(op, sum);
	}
	return STEP_ILLEGAL;
}

static const struct adt multiset = {
	.names = "multiset bag multi-set",
	.noun = "multiset",
	.traits = ADT_KEYS | ADT_DETERMINED | ADT_VALUES,
	.shape = SHAPE_COUNTS,
	.methods = methods,
	.step = step,
};

const struct adt *const adt_multiset[] = { &multiset, NULL };
