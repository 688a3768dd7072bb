/* SPDX-License-Identifier: MIT
 *
 * Mutex. A lock that returns false (try-lock) found it held; an unlock that returns false found it
 * free.
 */
#include "lin/adt.h"

enum { LOCK, UNLOCK, IS_LOCKED };

static const struct adt_method methods[] = {
	{ "lock acquire", LOCK, 0, 1, M_SUCCEEDS },
	{ "unlock release", UNLOCK, 0, 1, M_SUCCEEDS },
	{ "islocked held", IS_LOCKED, 0, 0, M_READS },
	{ 0 },
};

static void init(struct state *s, const int64_t *parameters, int n)
{
	state_push(s, 0);
}

/* A lock or unlock that is not possible can only be one that says so; then nothing happens. */
static enum step turn(struct state *s, const struct lin_op *op, bool on)
{
	bool can = s->w[0] != on, fails = !(op->flags & OP_ANY) && !op_true(op);

	if (can == fails || (!can && (op->flags & OP_ANY)))
		return STEP_ILLEGAL;
	if (!can)
		return STEP_SAME;
	state_put(s, 0, on);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	switch (op->code) {
	case LOCK:
		return turn(s, op, true);
	case UNLOCK:
		return turn(s, op, false);
	case IS_LOCKED:
		return op_answers(op, s->w[0]);
	}
	return STEP_ILLEGAL;
}

static const struct adt mutex = {
	.names = "mutex lock",
	.noun = "mutex",
	.shape = SHAPE_SWITCH,
	.methods = methods,
	.init = init,
	.step = step,
};

const struct adt *const adt_mutex[] = { &mutex, NULL };
