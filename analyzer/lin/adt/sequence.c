/* SPDX-License-Identifier: MIT
 *
 * Stack and queue: values in the order in which they were put in, which are taken out from the one
 * end or from the other. Taking from, or looking into, an empty one gives nothing. With a capacity,
 * a parameter, adding to a full one returns false.
 */
#include "lin/adt.h"
#include "lin/monitor/monitor.h"
#include "lin/problem.h"

enum { ADD, TAKE, PEEK, SIZE, IS_EMPTY, IS_FULL };

#define OF_BOTH                                                                                    \
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },                              \
		{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
#define OF_STACK                                                                                   \
	{ "push add insert put", ADD, 1, 1, M_SUCCEEDS | M_ADDS },                                 \
		{ "pop remove take get", TAKE, 0, 0, M_TAKES },                                    \
		{ "peek top", PEEK, 0, 0, M_READS }, OF_BOTH
#define OF_QUEUE                                                                                   \
	{ "enq enqueue offer add push put insert send", ADD, 1, 1, M_SUCCEEDS | M_ADDS },          \
		{ "deq dequeue poll remove pop take get receive recv", TAKE, 0, 0, M_TAKES },      \
		{ "peek front head first", PEEK, 0, 0, M_READS }, OF_BOTH
#define OF_BOUNDED { "isfull full", IS_FULL, 0, 0, M_READS | M_FRAGILE },

static const struct adt_method stack_methods[] = { OF_STACK{ 0 } };
static const struct adt_method queue_methods[] = { OF_QUEUE{ 0 } };
static const struct adt_method bounded_stack_methods[] = { OF_STACK OF_BOUNDED{ 0 } };
static const struct adt_method bounded_queue_methods[] = { OF_QUEUE OF_BOUNDED{ 0 } };

static inline enum step add(struct state *s, const struct lin_op *op, bool full)
{
	if (!op_says(op, !full))
		return STEP_ILLEGAL;
	if (full)
		return STEP_SAME;
	state_push(s, op->a);
	return STEP_CHANGED;
}

static inline enum step take(struct state *s, const struct lin_op *op, int64_t next, bool last)
{
	if (!op_gives(op, next))
		return STEP_ILLEGAL;
	if (!state_size(s))
		return STEP_SAME;
	if (last)
		state_pop(s);
	else
		state_shift(s);
	return STEP_CHANGED;
}

/* `last`: what was put in last is taken first. Every caller has it as a constant, and `full`, if it
 * has no capacity. */
static inline __attribute__((always_inline)) enum step
step_from(struct state *s, const struct lin_op *op, bool last, bool full)
{
	int64_t next = !state_size(s) ? WORD_EMPTY : last ? state_last(s) : state_first(s);

	switch (op->code) {
	case ADD:
		return add(s, op, full);
	case TAKE:
		return take(s, op, next, last);
	case PEEK:
		return op_looks(op, next);
	case SIZE:
		return op_looks(op, state_size(s));
	case IS_EMPTY:
		return op_answers(op, !state_size(s));
	case IS_FULL:
		return op_answers(op, full);
	}
	return STEP_ILLEGAL;
}

static bool is_full(const struct state *s)
{
	return state_size(s) >= s->part->spec->parameters[0];
}

static enum step stack_step(struct state *s, const struct lin_op *op)
{
	return step_from(s, op, true, false);
}

static enum step queue_step(struct state *s, const struct lin_op *op)
{
	return step_from(s, op, false, false);
}

static enum step bounded_stack_step(struct state *s, const struct lin_op *op)
{
	return step_from(s, op, true, is_full(s));
}

static enum step bounded_queue_step(struct state *s, const struct lin_op *op)
{
	return step_from(s, op, false, is_full(s));
}

static enum monitor_answer stack_monitor(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_collection(part, ADD, TAKE, monitor_stack, core);
}

static enum monitor_answer queue_monitor(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_collection(part, ADD, TAKE, monitor_queue, core);
}

static const struct adt stack = {
	.names = "stack lifo",
	.noun = "stack",
	.traits = ADT_VALUES,
	.shape = SHAPE_SEQUENCE,
	.methods = stack_methods,
	.step = stack_step,
	.monitor = stack_monitor,
};

static const struct adt queue = {
	.names = "queue fifo fifo-queue",
	.noun = "queue",
	.traits = ADT_VALUES,
	.shape = SHAPE_SEQUENCE,
	.methods = queue_methods,
	.step = queue_step,
	.monitor = queue_monitor,
};

static const struct adt bounded_stack = {
	.names = "bounded-stack",
	.noun = "bounded stack",
	.min_parameters = 1,
	.max_parameters = 1,
	.traits = ADT_VALUES,
	.shape = SHAPE_SEQUENCE,
	.methods = bounded_stack_methods,
	.step = bounded_stack_step,
};

static const struct adt bounded_queue = {
	.names = "bounded-queue",
	.noun = "bounded queue",
	.min_parameters = 1,
	.max_parameters = 1,
	.traits = ADT_VALUES,
	.shape = SHAPE_SEQUENCE,
	.methods = bounded_queue_methods,
	.step = bounded_queue_step,
};

const struct adt *const adt_sequence[] = { &stack, &queue, &bounded_stack, &bounded_queue, NULL };
