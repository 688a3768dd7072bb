/* SPDX-License-Identifier: MIT
 *
 * Registers, with compare-and-set. Without a parameter the initial value is nothing if something in
 * the history returned nothing, else 0.
 */
#include "lin/explain/explain.h"

enum { READ, WRITE, SWAP, CAS };

static const struct adt_method methods[] = {
	{ "read get load", READ, 0, 0, M_READS },
	{ "write set store put", WRITE, 1, 1, 0 },
	{ "swap exchange getandset xchg", SWAP, 1, 1, 0 },
	{ "cas compareandset compareandswap compareexchange", CAS, 2, 2, M_SUCCEEDS },
	{ 0 },
};

static int64_t initial(const struct lin_spec *spec)
{
	if (spec->nparameters)
		return spec->parameters[0];
	return spec->saw_empty ? WORD_EMPTY : 0;
}

static void init(struct state *s, const int64_t *parameters, int n)
{
	state_push(s, initial(s->part->spec));
}

static enum step write(struct state *s, int64_t word)
{
	if (s->w[0] == word)
		return STEP_SAME;
	state_put(s, 0, word);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t now = s->w[0];

	switch (op->code) {
	case READ:
		return op_looks(op, now);
	case WRITE:
		return write(s, op->a);
	case SWAP:
		return op_gives(op, now) ? write(s, op->a) : STEP_ILLEGAL;
	case CAS:
		if (!op_says(op, now == op->a))
			return STEP_ILLEGAL;
		return now == op->a ? write(s, op->b) : STEP_SAME;
	}
	return STEP_ILLEGAL;
}

static bool classify(const struct lin_part *part, const struct lin_op *op, struct register_op *out)
{
	switch (op->code) {
	case READ:
		*out = (struct register_op){ REGISTER_READ, op->r, 0 };
		return true;
	case WRITE:
		*out = (struct register_op){ REGISTER_WRITE, 0, op->a };
		return true;
	case SWAP:
		if (op->flags & OP_ANY)
			*out = (struct register_op){ REGISTER_WRITE, 0, op->a };
		else
			*out = (struct register_op){ REGISTER_CAS, op->r, op->a };
		return true;
	case CAS:
		*out = (struct register_op){ REGISTER_CAS, op->a, op->b };
		return !(op->flags & OP_ANY) && op_true(op);
	}
	return false;
}

static enum monitor_answer monitor(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_register(part, classify, initial(part->spec), core);
}

/* One that never returned may write, which is all that counts for a sentence. */
static bool classify_pending(const struct lin_part *part, const struct lin_op *op,
			     struct register_op *out)
{
	if (op->code != CAS || !(op->flags & OP_PENDING))
		return classify(part, op, out);
	*out = (struct register_op){ REGISTER_WRITE, 0, op->b };
	return true;
}

static bool explain(struct text *t, const struct lin_part *part)
{
	return explain_register(t, part, classify_pending, initial(part->spec));
}

static const struct adt reg = {
	.names = "register cas-register atomic-register atomic",
	.noun = "register",
	.max_parameters = 1,
	.shape = SHAPE_VALUE,
	.methods = methods,
	.init = init,
	.step = step,
	.monitor = monitor,
	.explain = explain,
};

const struct adt *const adt_register[] = { &reg, NULL };
