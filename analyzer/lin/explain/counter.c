/* SPDX-License-Identifier: MIT
 *
 * Counters: simple reasons why a few operations are not linearizable. Two returned the same number;
 * the count went back; or a result is outside of what the others' amounts allow at that time. Only
 * for counters that nothing counts down: for others it takes more than a sentence.
 */
#include "lin/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>

struct counts {
	const struct lin_part *part;
	struct counter_change *ops; /* by operation */
	int64_t initial;
};

/* Did `a` return before `b` was called? */
static bool before(const struct lin_op *a, const struct lin_op *b)
{
	return a->ret != RANK_PENDING && a->ret < b->call;
}

/* Two operations that move the counter up from the same count. */
static bool explain_same(struct text *t, const struct counts *x, uint32_t first)
{
	const struct lin_part *p = x->part;
	const struct counter_change *a = &x->ops[first];

	if (!a->sees || !a->amount)
		return false;
	for (uint32_t i = first + 1; i < p->nops; i++) {
		const struct counter_change *b = &x->ops[i];

		if (!b->sees || !b->amount || b->before != a->before ||
		    p->ops[i].r != p->ops[first].r)
			continue;
		text_add(t, "two operations returned %" PRId64 ", but ", p->ops[i].r);
		text_add(t, a->before == x->initial ? "only one can be the first: "
						    : "the counter only goes up: ");
		text_op_thread(t, p, &p->ops[first]);
		text_add(t, " and ");
		text_op_thread(t, p, &p->ops[i]);
		return true;
	}
	return false;
}

/* One operation returned, and the next saw less than what it left. */
static bool explain_back(struct text *t, const struct counts *x, uint32_t second)
{
	const struct lin_part *p = x->part;

	if (!x->ops[second].sees)
		return false;
	for (uint32_t i = 0; i < p->nops; i++) {
		const struct counter_change *a = &x->ops[i];

		if (!a->sees || !before(&p->ops[i], &p->ops[second]) ||
		    a->before + a->amount <= x->ops[second].before)
			continue;
		text_op(t, p, &p->ops[second]);
		text_add(t, " began after ");
		text_op(t, p, &p->ops[i]);
		text_add(t, " had returned, and the counter only goes up");
		return true;
	}
	return false;
}

/* Is the change part of the least (or the most) that `op` can see? */
static bool counts_for(const struct lin_op *change, const struct lin_op *op, bool least)
{
	return least ? before(change, op) : !before(op, change);
}

static int64_t bound(const struct counts *x, uint32_t op, bool least)
{
	const struct lin_part *p = x->part;
	int64_t sum = x->initial;

	for (uint32_t i = 0; i < p->nops; i++)
		if (i != op && counts_for(&p->ops[i], &p->ops[op], least))
			sum += x->ops[i].amount;
	return sum;
}

static void text_bound(struct text *t, const struct counts *x, uint32_t op, bool least)
{
	const struct lin_part *p = x->part;
	uint32_t listed = 0;

	text_add(t, "the counter was at %s %" PRId64 " %s: it started at %" PRId64,
		 least ? "least" : "most", bound(x, op, least),
		 least ? "when it began" : "until it returned", x->initial);
	for (uint32_t i = 0; i < p->nops && listed <= MAX_LISTED; i++) {
		if (i == op || !x->ops[i].amount || !counts_for(&p->ops[i], &p->ops[op], least))
			continue;
		text_add(t, listed  ? ", "
			    : least ? ", and these had finished: "
				    : ", and only these had begun: ");
		if (listed++ < MAX_LISTED)
			text_op(t, p, &p->ops[i]);
		else
			text_add(t, "...");
	}
}

/* Too little, or too much. */
static bool explain_bounds(struct text *t, const struct counts *x, uint32_t op)
{
	const struct counter_change *c = &x->ops[op];
	bool low = c->sees && c->before < bound(x, op, true);
	bool high = c->sees && c->before > bound(x, op, false);

	if (!low && !high)
		return false;
	text_op(t, x->part, &x->part->ops[op]);
	text_add(t, ", but ");
	text_bound(t, x, op, low);
	return true;
}

/* Nothing overflows with it, not even with the amounts of all operations. */
static bool is_small(int64_t v)
{
	return v < INT64_MAX / 4 && v > INT64_MIN / 4;
}

bool explain_counter(struct text *t, const struct lin_part *part,
		     void (*change)(const struct lin_op *, struct counter_change *),
		     int64_t initial)
{
	struct counts x = { .part = part, .initial = initial };
	bool up = is_small(initial), done = false;

	x.ops = xcalloc(part->nops + 1, sizeof *x.ops);
	for (uint32_t i = 0; i < part->nops; i++) {
		change(&part->ops[i], &x.ops[i]);
		up &= x.ops[i].amount >= 0 && x.ops[i].amount <= INT32_MAX;
		up &= !x.ops[i].sees || is_small(x.ops[i].before);
	}
	for (uint32_t i = 0; up && !done && i < part->nops; i++)
		done = explain_same(t, &x, i);
	for (uint32_t i = 0; up && !done && i < part->nops; i++)
		done = explain_back(t, &x, i) || explain_bounds(t, &x, i);
	free(x.ops);
	return done;
}
