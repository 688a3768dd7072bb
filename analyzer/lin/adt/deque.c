/* SPDX-License-Identifier: MIT
 *
 * Double-ended queue; taking from an empty one returns nothing.
 */
#include "lin/adt.h"
#include "lin/problem.h"

enum { PUSH_FRONT, PUSH_BACK, POP_FRONT, POP_BACK, PEEK_FRONT, PEEK_BACK, SIZE, IS_EMPTY };

static const struct adt_method methods[] = {
	{ "pushfront pushleft addfirst offerfirst appendleft pushtop unshift", PUSH_FRONT, 1, 1,
	  M_SUCCEEDS | M_ADDS },
	{ "pushback pushright addlast offerlast append pushbottom push", PUSH_BACK, 1, 1,
	  M_SUCCEEDS | M_ADDS },
	{ "popfront popleft removefirst pollfirst takefirst poptop steal shift", POP_FRONT, 0, 0,
	  M_TAKES },
	{ "popback popright removelast polllast takelast popbottom pop take", POP_BACK, 0, 0,
	  M_TAKES },
	{ "peekfront peekfirst front first", PEEK_FRONT, 0, 0, M_READS },
	{ "peekback peeklast back last", PEEK_BACK, 0, 0, M_READS },
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
	{ 0 },
};

/* The row begins where even pushing everything at the front would fit. */
static void init(struct state *s, const int64_t *parameters, int n)
{
	uint32_t fronts = 0;

	for (uint32_t i = 0; i < s->part->nops; i++)
		fronts += s->part->ops[i].code == PUSH_FRONT;
	state_room(s, fronts);
}

static enum step push(struct state *s, const struct lin_op *op,
		      void (*at_end)(struct state *, int64_t))
{
	if (!op_says(op, true))
		return STEP_ILLEGAL;
	at_end(s, op->a);
	return STEP_CHANGED;
}

static enum step pop(struct state *s, const struct lin_op *op, int64_t there,
		     void (*at_end)(struct state *))
{
	if (!op_gives(op, there))
		return STEP_ILLEGAL;
	if (!state_size(s))
		return STEP_SAME;
	at_end(s);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t first = state_size(s) ? state_first(s) : WORD_EMPTY;
	int64_t last = state_size(s) ? state_last(s) : WORD_EMPTY;

	switch (op->code) {
	case PUSH_FRONT:
		return push(s, op, state_unshift);
	case PUSH_BACK:
		return push(s, op, state_push);
	case POP_FRONT:
		return pop(s, op, first, state_shift);
	case POP_BACK:
		return pop(s, op, last, state_pop);
	case PEEK_FRONT:
		return op_looks(op, first);
	case PEEK_BACK:
		return op_looks(op, last);
	case SIZE:
		return op_looks(op, state_size(s));
	case IS_EMPTY:
		return op_answers(op, !state_size(s));
	}
	return STEP_ILLEGAL;
}

static const struct adt deque = {
	.names = "deque double-ended-queue",
	.noun = "deque",
	.traits = ADT_VALUES,
	.shape = SHAPE_SEQUENCE,
	.methods = methods,
	.init = init,
	.step = step,
};

const struct adt *const adt_deque[] = { &deque, NULL };
