/* SPDX-License-Identifier: MIT
 *
 * Queue of a capacity, its parameter: adding to a full one returns false.
 */
#include "adt.h"
#include "problem.h"

enum { ENQ, DEQ, PEEK, SIZE, IS_EMPTY, IS_FULL };

static const struct adt_method methods[] = {
	{ "enq enqueue offer add push put insert send", ENQ, 1, 1, M_SUCCEEDS | M_ADDS },
	{ "deq dequeue poll remove pop take get receive recv", DEQ, 0, 0, M_TAKES },
	{ "peek front head first", PEEK, 0, 0, M_READS },
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
	{ "isfull full", IS_FULL, 0, 0, M_READS | M_FRAGILE },
	{ 0 },
};

static enum step add(struct state *s, const struct lin_op *op, bool full)
{
	if (!op_says(op, !full))
		return STEP_ILLEGAL;
	if (full)
		return STEP_SAME;
	state_push(s, op->a);
	return STEP_CHANGED;
}

static enum step take(struct state *s, const struct lin_op *op, int64_t next)
{
	if (!op_gives(op, next))
		return STEP_ILLEGAL;
	if (!state_size(s))
		return STEP_SAME;
	state_shift(s);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t next = state_size(s) ? state_first(s) : WORD_EMPTY;
	bool full = state_size(s) >= s->part->spec->parameters[0];

	switch (op->code) {
	case ENQ:
		return add(s, op, full);
	case DEQ:
		return take(s, op, next);
	case PEEK:
		return op_looks(op, next);
	case SIZE:
		return op_looks(op, state_size(s));
	case IS_EMPTY:
		return op_says(op, !state_size(s)) ? STEP_SAME : STEP_ILLEGAL;
	case IS_FULL:
		return op_says(op, full) ? STEP_SAME : STEP_ILLEGAL;
	}
	return STEP_ILLEGAL;
}

static const struct adt bounded_queue = {
	.names = "bounded-queue",
	.noun = "bounded queue",
	.min_parameters = 1,
	.max_parameters = 1,
	.traits = ADT_VALUES,
	.methods = methods,
	.step = step,
};

const struct adt *const adt_bounded_queue[] = { &bounded_queue, NULL };
