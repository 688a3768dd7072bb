/* SPDX-License-Identifier: MIT
 *
 * Map: put, remove, replace and put-if-absent return the value before, or nothing; the others are
 * booleans. So is remove of a key if it has a certain value.
 */
#include "lin/explain/explain.h"

enum {
	PUT,
	GET,
	REMOVE,
	REPLACE,
	PUT_IF_ABSENT,
	CAS,
	INSERT,
	ERASE,
	CONTAINS,
	SIZE,
	IS_EMPTY,
	CLEAR
};

static const struct adt_method methods[] = {
	{ "put set store assign upsert write", PUT, 2, 2, M_KEY },
	{ "get find lookup search read load", GET, 1, 1, M_READS | M_KEY },
	{ "remove delete del", REMOVE, 1, 2, M_TAKES | M_KEY },
	{ "replace update", REPLACE, 2, 3, M_KEY },
	{ "putifabsent", PUT_IF_ABSENT, 2, 2, M_KEY },
	{ "cas compareandset compareandswap compareexchange", CAS, 3, 3, M_SUCCEEDS | M_KEY },
	{ "insert add", INSERT, 2, 2, M_SUCCEEDS | M_KEY },
	{ "erase discard", ERASE, 1, 1, M_SUCCEEDS | M_KEY },
	{ "contains containskey has exists member", CONTAINS, 1, 1, M_READS | M_KEY },
	{ "size count length len", SIZE, 0, 0, M_READS | M_FRAGILE },
	{ "isempty empty", IS_EMPTY, 0, 0, M_READS | M_FRAGILE },
	{ "clear removeall reset", CLEAR, 0, 0, 0 },
	{ 0 },
};

/* Makes the key's value `v` (WORD_EMPTY: absent). */
static enum step set_value(struct state *s, int64_t key, int64_t before, int64_t v)
{
	if (before == v)
		return STEP_SAME;
	if (v == WORD_EMPTY)
		table_remove(s, key);
	else
		table_put(s, key, v);
	return STEP_CHANGED;
}

/* An operation that succeeds if `can`, and then makes the value `v`. */
static enum step attempt(struct state *s, const struct lin_op *op, int64_t before, bool can,
			 int64_t v)
{
	if (!op_says(op, can))
		return STEP_ILLEGAL;
	return can ? set_value(s, op->a, before, v) : STEP_SAME;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	int64_t before = table_get(s, op->a, WORD_EMPTY);
	bool present = before != WORD_EMPTY;

	switch (op->code) {
	case PUT:
		return op_gives(op, before) ? set_value(s, op->a, before, op->b) : STEP_ILLEGAL;
	case GET:
		return op_looks(op, before);
	case REMOVE:
		if (op->nargs == 2)
			return attempt(s, op, before, present && before == op->b, WORD_EMPTY);
		return op_gives(op, before) ? set_value(s, op->a, before, WORD_EMPTY)
					    : STEP_ILLEGAL;
	case REPLACE:
		if (op->nargs == 3)
			return attempt(s, op, before, present && before == op->b,
				       op_more(s, op, 2));
		if (!op_gives(op, before))
			return STEP_ILLEGAL;
		return present ? set_value(s, op->a, before, op->b) : STEP_SAME;
	case PUT_IF_ABSENT:
		if (!op_gives(op, before))
			return STEP_ILLEGAL;
		return present ? STEP_SAME : set_value(s, op->a, before, op->b);
	case CAS:
		return attempt(s, op, before, before == op->b, op_more(s, op, 2));
	case INSERT:
		return attempt(s, op, before, !present, op->b);
	case ERASE:
		return attempt(s, op, before, present, WORD_EMPTY);
	case CONTAINS:
		return op_answers(op, present);
	case SIZE:
		return op_looks(op, s->n / 2);
	case IS_EMPTY:
		return op_answers(op, !s->n);
	case CLEAR:
		return table_clear(s) ? STEP_CHANGED : STEP_SAME;
	}
	return STEP_ILLEGAL;
}

/* One key with nothing but get and put is a register that begins empty. */
static bool as_register(const struct lin_part *part, const struct lin_op *op,
			struct register_op *out)
{
	switch (op->code) {
	case GET:
		*out = (struct register_op){ REGISTER_READ, op->r, 0 };
		return true;
	case PUT:
		if (op->flags & OP_ANY)
			*out = (struct register_op){ REGISTER_WRITE, 0, op->b };
		else
			*out = (struct register_op){ REGISTER_CAS, op->r, op->b };
		return true;
	case CAS:
		*out = (struct register_op){ REGISTER_CAS, op->b,
					     part->problem->more[2 * (size_t)op->id] };
		return !(op->flags & OP_ANY) && op_true(op);
	default:
		return false;
	}
}

static bool one_key(const struct lin_part *part)
{
	for (uint32_t i = 1; i < part->nops; i++)
		if (part->ops[i].a != part->ops[0].a)
			return false;
	return true;
}

static enum monitor_answer monitor(const struct lin_part *part, struct monitor_core *core)
{
	return one_key(part) ? monitor_register(part, as_register, WORD_EMPTY, core)
			     : MONITOR_DECLINES;
}

static bool explain(struct text *t, const struct lin_part *part)
{
	return one_key(part) && explain_register(t, part, as_register, WORD_EMPTY);
}

static const struct adt map = {
	.names = "map dictionary hash-map sorted-map hash-table kv-map",
	.noun = "map",
	.traits = ADT_KEYS,
	.shape = SHAPE_MAP,
	.methods = methods,
	.step = step,
	.monitor = monitor,
	.explain = explain,
};

const struct adt *const adt_map[] = { &map, NULL };
