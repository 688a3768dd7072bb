/* SPDX-License-Identifier: MIT
 *
 * Set: a table from the members to 1.
 */
#include "lin/adt.h"
#include "lin/monitor/monitor.h"

enum { ADD, REMOVE, CONTAINS, SIZE, IS_EMPTY, CLEAR };

static const struct adt_method methods[] = {
	{ "add insert put", ADD, 1, 1, M_SUCCEEDS | M_KEY },
	{ "remove delete erase del discard", REMOVE, 1, 1, M_SUCCEEDS | M_KEY },
	{ "contains find member has lookup search get exists containskey", CONTAINS, 1, 1,
	  M_READS | M_KEY },
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
	{ "clear removeall reset", CLEAR, 0, 0, 0 },
	{ 0 },
};

static enum step step(struct state *s, const struct lin_op *op)
{
	bool present = table_at(s, table_find(s, op->a), op->a);

	switch (op->code) {
	case ADD:
		if (!op_says(op, !present))
			return STEP_ILLEGAL;
		if (present)
			return STEP_SAME;
		table_put(s, op->a, 1);
		return STEP_CHANGED;
	case REMOVE:
		if (!op_says(op, present))
			return STEP_ILLEGAL;
		if (!present)
			return STEP_SAME;
		table_remove(s, op->a);
		return STEP_CHANGED;
	case CONTAINS:
		return op_answers(op, present);
	case SIZE:
		return op_looks(op, s->n / 2);
	case IS_EMPTY:
		return op_answers(op, !s->n);
	case CLEAR:
		return table_clear(s) ? STEP_CHANGED : STEP_SAME;
	}
	return STEP_ILLEGAL;
}

static enum monitor_answer monitor(const struct lin_part *part, struct monitor_core *core)
{
	static const enum set_role roles[] = {
		[ADD] = SET_ADD,    [REMOVE] = SET_REMOVE,  [CONTAINS] = SET_CONTAINS,
		[SIZE] = SET_OTHER, [IS_EMPTY] = SET_OTHER, [CLEAR] = SET_OTHER,
	};

	return monitor_set(part, roles, core);
}

static const struct adt set = {
	.names = "set hash-set sorted-set list-set",
	.noun = "set",
	.traits = ADT_KEYS,
	.shape = SHAPE_SET,
	.methods = methods,
	.step = step,
	.monitor = monitor,
};

const struct adt *const adt_set[] = { &set, NULL };
