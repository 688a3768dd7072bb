/* SPDX-License-Identifier: MIT
 *
 * First-in first-out queue; deq and peek of an empty one return nothing.
 */
#include "adt.h"
#include "monitor.h"

enum { ENQ, DEQ, PEEK, SIZE, IS_EMPTY };

static const struct adt_method methods[] = {
	{ "enq enqueue offer add push put insert send", ENQ, 1, 1, M_SUCCEEDS | M_ADDS },
	{ "deq dequeue poll remove pop take get receive recv", DEQ, 0, 0, M_TAKES },
	{ "peek front head first", PEEK, 0, 0, M_READS },
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
	{ 0 },
};

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t first = state_size(s) ? state_first(s) : WORD_EMPTY;

	switch (op->code) {
	case ENQ:
		if (!op_says(op, true))
			return STEP_ILLEGAL;
		state_push(s, op->a);
		return STEP_CHANGED;
	case DEQ:
		if (!op_gives(op, first))
			return STEP_ILLEGAL;
		if (!state_size(s))
			return STEP_SAME;
		state_shift(s);
		return STEP_CHANGED;
	case PEEK:
		return op_looks(op, first);
	case SIZE:
		return op_looks(op, state_size(s));
	case IS_EMPTY:
		return op_says(op, !state_size(s)) ? STEP_SAME : STEP_ILLEGAL;
	}
	return STEP_ILLEGAL;
}

static enum monitor_answer monitor(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_collection(part, ENQ, DEQ, monitor_queue, core);
}

static const struct adt queue = {
	.names = "queue fifo fifo-queue",
	.noun = "queue",
	.traits = ADT_VALUES,
	.methods = methods,
	.step = step,
	.monitor = monitor,
};

const struct adt *const adt_queue[] = { &queue, NULL };
