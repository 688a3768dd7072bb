/* SPDX-License-Identifier: MIT
 *
 * Counter: inc and dec may return the new value, fetch_add the old one; an argument is the amount.
 * The parameter is the initial value (0).
 */
#include "lin/explain/explain.h"

enum { INC, DEC, READ, FETCH_ADD, FETCH_SUB };

static const struct adt_method methods[] = {
	{ "inc increment add incr incrementandget addandget addfetch up", INC, 0, 1, 0 },
	{ "dec decrement sub decr decrementandget subandget subfetch down", DEC, 0, 1, 0 },
	{ "read get value load count", READ, 0, 0, M_READS },
	{ "fetchadd fetchandadd fetchinc fetchandinc getandincrement getandinc getandadd",
	  FETCH_ADD, 0, 1, 0 },
	{ "fetchsub fetchandsub fetchdec fetchanddec getanddecrement getanddec getandsub",
	  FETCH_SUB, 0, 1, 0 },
	{ 0 },
};

static void init(struct state *s, const int64_t *parameters, int n)
{
	state_push(s, n ? parameters[0] : 0);
}

static int64_t amount(const struct lin_op *op)
{
	return op->nargs ? op->a : 1;
}

/* Wraps around, as the counters of C programs do. */
static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static enum step step(struct state *s, const struct lin_op *op)
{
	bool down = op->code == DEC || op->code == FETCH_SUB;
	int64_t before = s->w[0], after;

	if (op->code == READ)
		return op_looks(op, before);
	after = plus(before, down ? (int64_t) - (uint64_t)amount(op) : amount(op));
	if (!op_gives(op, op->code == INC || op->code == DEC ? after : before))
		return STEP_ILLEGAL;
	if (after == before)
		return STEP_SAME;
	state_put(s, 0, after);
	return STEP_CHANGED;
}

static bool classify(const struct lin_op *op, enum counter_role *role)
{
	bool one = amount(op) == 1, any = op->flags & OP_ANY;

	switch (op->code) {
	case READ:
		*role = COUNTER_READ;
		return true;
	case INC:
		*role = any ? COUNTER_INC : COUNTER_INC_FETCH;
		return one;
	case FETCH_ADD:
		*role = any ? COUNTER_INC : COUNTER_FETCH_INC;
		return one;
	}
	return false;
}

static enum monitor_answer monitor(const struct lin_part *part, struct monitor_core *core)
{
	return monitor_counter(part, classify,
			       part->spec->nparameters ? part->spec->parameters[0] : 0, core);
}

static void change(const struct lin_op *op, struct counter_change *out)
{
	bool down = op->code == DEC || op->code == FETCH_SUB;

	*out = (struct counter_change){ .sees = !(op->flags & OP_ANY), .before = op->r };
	if (op->code == READ)
		return;
	out->amount = down ? (int64_t) - (uint64_t)amount(op) : amount(op);
	if (out->sees && (op->code == INC || op->code == DEC))
		out->before = plus(op->r, (int64_t) - (uint64_t)out->amount);
}

static bool explain(struct text *t, const struct lin_part *part)
{
	return explain_counter(t, part, change,
			       part->spec->nparameters ? part->spec->parameters[0] : 0);
}

static const struct adt counter = {
	.names = "counter fetch-and-add fetch-add",
	.noun = "counter",
	.max_parameters = 1,
	.traits = ADT_DETERMINED,
	.shape = SHAPE_VALUE,
	.methods = methods,
	.init = init,
	.step = step,
	.monitor = monitor,
	.explain = explain,
};

const struct adt *const adt_counter[] = { &counter, NULL };
