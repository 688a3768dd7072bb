/* SPDX-License-Identifier: MIT
 *
 * Counting semaphore; the parameter is the initial count. An acquire that returns false (try-wait)
 * found too little. An argument is the amount.
 */
#include "lin/adt.h"
#include "lin/problem.h"

enum { ACQUIRE, RELEASE, VALUE };

static const struct adt_method methods[] = {
	{ "acquire wait p down", ACQUIRE, 0, 1, M_SUCCEEDS },
	{ "release post v up signal", RELEASE, 0, 1, M_SUCCEEDS },
	{ "value read getvalue available", VALUE, 0, 0, M_READS },
	{ 0 },
};

static void init(struct state *s, const int64_t *parameters, int n)
{
	state_push(s, parameters[0]);
}

static enum step step(struct state *s, const struct lin_op *op)
{
	bool any = op->flags & OP_ANY, can;
	int64_t amount = op->nargs ? op->a : 1, after;

	switch (op->code) {
	case ACQUIRE:
		can = s->w[0] >= amount;
		if (any ? !can : can != op_true(op))
			return STEP_ILLEGAL;
		if (!can)
			return STEP_SAME;
		amount = (int64_t) - (uint64_t)amount;
		break;
	case RELEASE:
		if (!op_says(op, true))
			return STEP_ILLEGAL;
		break;
	case VALUE:
		return op_looks(op, s->w[0]);
	}
	if (__builtin_add_overflow(s->w[0], amount, &after))
		return STEP_ILLEGAL;
	if (!amount)
		return STEP_SAME;
	state_put(s, 0, after);
	return STEP_CHANGED;
}

static const struct adt semaphore = {
	.names = "semaphore counting-semaphore",
	.noun = "semaphore",
	.min_parameters = 1,
	.max_parameters = 1,
	.traits = ADT_DETERMINED,
	.shape = SHAPE_VALUE,
	.methods = methods,
	.init = init,
	.step = step,
};

const struct adt *const adt_semaphore[] = { &semaphore, NULL };
