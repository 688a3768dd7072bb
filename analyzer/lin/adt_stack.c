/* SPDX-License-Identifier: MIT
 *
 * Stack; pop and peek of an empty one return nothing.
 */
#include "adt.h"
#include "monitor.h"

enum { PUSH, POP, PEEK, SIZE, IS_EMPTY };

static const struct adt_method methods[] = {
	{ "push add insert put", PUSH, 1, 1, M_SUCCEEDS | M_ADDS },
	{ "pop remove take get", POP, 0, 0, M_TAKES },
	{ "peek top", PEEK, 0, 0, M_READS },
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
	{ 0 },
};

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t top = state_size(s) ? state_last(s) : WORD_EMPTY;

	switch (op->code) {
	case PUSH:
		if (!op_says(op, true))
			return STEP_ILLEGAL;
		state_push(s, op->a);
		return STEP_CHANGED;
	case POP:
		if (!op_gives(op, top))
			return STEP_ILLEGAL;
		if (!state_size(s))
			return STEP_SAME;
		state_pop(s);
		return STEP_CHANGED;
	case PEEK:
		return op_looks(op, top);
	case SIZE:
		return op_looks(op, state_size(s));
	case IS_EMPTY:
		return op_says(op, !state_size(s)) ? STEP_SAME : STEP_ILLEGAL;
	}
	return STEP_ILLEGAL;
}

static enum monitor_answer monitor(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_collection(part, PUSH, POP, monitor_stack, core);
}

static const struct adt stack = {
	.names = "stack lifo",
	.noun = "stack",
	.traits = ADT_VALUES,
	.methods = methods,
	.step = step,
	.monitor = monitor,
};

const struct adt *const adt_stack[] = { &stack, NULL };
