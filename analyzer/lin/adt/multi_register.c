/* SPDX-License-Identifier: MIT
 *
 * Several registers: read(k), write(k, v), write(k, v, k2, v2) of both at once, cas(k, old, new);
 * and observe(k, v, k2, v2), a read of both at once that saw v and v2. The parameter is what each
 * begins with; without one that is nothing if something in the history returned nothing, else 0.
 */
#include "lin/adt.h"
#include "lin/problem.h"

enum { READ, WRITE, CAS, OBSERVE };

static const struct adt_method methods[] = {
	{ "read get load", READ, 1, 1, M_READS | M_KEY },
	{ "write set store put", WRITE, 2, 4, 0 },
	{ "cas compareandset compareandswap", CAS, 3, 3, M_SUCCEEDS | M_KEY },
	{ "observe snapshot readboth", OBSERVE, 2, 4, 0 },
	{ 0 },
};

static bool holds(const struct state *s, int64_t key, int64_t word)
{
	const struct lin_spec *spec = s->part->spec;
	uint32_t at = table_find(s, key);

	if (table_at(s, at, key))
		return s->w[at + 1] == word;
	if (spec->nparameters)
		return word == spec->parameters[0];
	return word == (spec->saw_empty ? WORD_EMPTY : 0);
}

static enum step write(struct state *s, int64_t key, int64_t word)
{
	uint32_t at = table_find(s, key);

	if (table_at(s, at, key) && s->w[at + 1] == word)
		return STEP_SAME;
	table_put(s, key, word);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	enum step first;
	bool can;

	switch (op->code) {
	case READ:
		return holds(s, op->a, op->r) ? STEP_SAME : STEP_ILLEGAL;
	case WRITE:
		first = write(s, op->a, op->b);
		if (op->nargs == 4 &&
		    write(s, op_more(s, op, 2), op_more(s, op, 3)) == STEP_CHANGED)
			return STEP_CHANGED;
		return first;
	case CAS:
		can = holds(s, op->a, op->b);
		if (!op_says(op, can))
			return STEP_ILLEGAL;
		return can ? write(s, op->a, op_more(s, op, 2)) : STEP_SAME;
	case OBSERVE:
		if (!holds(s, op->a, op->b))
			return STEP_ILLEGAL;
		return op->nargs < 4 || holds(s, op_more(s, op, 2), op_more(s, op, 3))
			       ? STEP_SAME
			       : STEP_ILLEGAL;
	}
	return STEP_ILLEGAL;
}

static const struct adt multi_register = {
	.names = "multi-register registers",
	.noun = "multi-register",
	.max_parameters = 1,
	.traits = ADT_KEYS,
	.shape = SHAPE_MAP,
	.methods = methods,
	.step = step,
};

const struct adt *const adt_multi_register[] = { &multi_register, NULL };
