/* SPDX-License-Identifier: MIT
 *
 * Priority queues of integers, least or greatest first; equal ones may be there several times. A
 * table from the values to how many there are.
 */
#include "lin/adt.h"
#include "lin/monitor/monitor.h"

enum { INSERT, POP, PEEK, SIZE, IS_EMPTY };

#define QUEUE_METHODS(pops, peeks)                                                                 \
	{ "insert add push enqueue enq offer put", INSERT, 1, 1, M_SUCCEEDS | M_ADDS },            \
		{ "pop remove poll dequeue deq take get delete extract " pops, POP, 0, 0,          \
		  M_TAKES },                                                                       \
		{ "peek top first front " peeks, PEEK, 0, 0, M_READS },                            \
		{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },                      \
		{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },                          \
	{                                                                                          \
		0                                                                                  \
	}

static const struct adt_method min_methods[] = { QUEUE_METHODS(
	"deletemin removemin extractmin popmin", "findmin min getmin peekmin") };
static const struct adt_method max_methods[] = { QUEUE_METHODS(
	"deletemax removemax extractmax popmax", "findmax max getmax peekmax") };

static int64_t total(const struct state *s)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->n; i += 2)
		sum += s->w[i + 1];
	return sum;
}

static enum step take(struct state *s, int64_t first)
{
	int64_t count;

	if (first == WORD_EMPTY)
		return STEP_SAME;
	count = table_get(s, first, 0);
	if (count == 1)
		table_remove(s, first);
	else
		table_put(s, first, count - 1);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op, int64_t first)
{
	switch (op->code) {
	case INSERT:
		if (!op_says(op, true))
			return STEP_ILLEGAL;
		table_put(s, op->a, table_get(s, op->a, 0) + 1);
		return STEP_CHANGED;
	case POP:
		return op_gives(op, first) ? take(s, first) : STEP_ILLEGAL;
	case PEEK:
		return op_looks(op, first);
	case SIZE:
		return op_looks(op, total(s));
	case IS_EMPTY:
		return op_answers(op, !s->n);
	}
	return STEP_ILLEGAL;
}

static enum step step_min(struct state *s, const struct lin_op *op)
{
	return step(s, op, s->n ? s->w[0] : WORD_EMPTY);
}

static enum step step_max(struct state *s, const struct lin_op *op)
{
	return step(s, op, s->n ? s->w[s->n - 2] : WORD_EMPTY);
}

static enum monitor_answer monitor_min(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_collection(part, INSERT, POP, monitor_pqueue_min, core);
}

static enum monitor_answer monitor_max(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_collection(part, INSERT, POP, monitor_pqueue_max, core);
}

static const struct adt pqueue_min = {
	.names = "pqueue-min pqueue priority-queue min-heap heap priority-queue-min",
	.noun = "priority queue",
	.traits = ADT_DETERMINED | ADT_VALUES,
	.shape = SHAPE_COUNTS,
	.methods = min_methods,
	.step = step_min,
	.monitor = monitor_min,
};

static const struct adt pqueue_max = {
	.names = "pqueue-max max-heap priority-queue-max",
	.noun = "priority queue",
	.traits = ADT_DETERMINED | ADT_VALUES,
	.shape = SHAPE_COUNTS,
	.methods = max_methods,
	.step = step_max,
	.monitor = monitor_max,
};

const struct adt *const adt_pqueue[] = { &pqueue_min, &pqueue_max, NULL };
