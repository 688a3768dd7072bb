/* SPDX-License-Identifier: MIT
 *
 * Registers: simple reasons why a few reads, writes and compare-and-sets are not linearizable.
 *
 * All but the first are about a value v with one source, the initial value or a single write: once
 * something else is seen or written after v was there, v is gone.
 */
#include "explain.h"

#include <stdlib.h>

struct registers {
	const struct lin_part *part;
	struct register_op *ops; /* by operation */
	int64_t initial;
};

static bool writes(const struct register_op *op, int64_t v)
{
	return op->kind != REGISTER_READ && op->to == v;
}

static bool sees(const struct register_op *op, int64_t v)
{
	return op->kind != REGISTER_WRITE && op->from == v;
}

static bool takes(const struct register_op *op, int64_t v)
{
	return op->kind == REGISTER_CAS && op->from == v && op->to != v;
}

/* Did `a` return before `b` was called? */
static bool before(const struct lin_op *a, const struct lin_op *b)
{
	return a->ret != RANK_PENDING && a->ret < b->call;
}

/* How many sources v has; *writer is one that is a write, or NULL. */
static uint32_t sources(const struct registers *x, int64_t v, const struct lin_op **writer)
{
	uint32_t n = x->initial == v;

	*writer = NULL;
	for (uint32_t i = 0; i < x->part->nops; i++)
		if (writes(&x->ops[i], v)) {
			*writer = &x->part->ops[i];
			n++;
		}
	return n;
}

/* Was v surely there before `op` was called? */
static bool was_there(const struct registers *x, int64_t v, const struct lin_op *writer,
		      const struct lin_op *op)
{
	if (!writer || before(writer, op))
		return true;
	for (uint32_t i = 0; i < x->part->nops; i++)
		if (sees(&x->ops[i], v) && before(&x->part->ops[i], op))
			return true;
	return false;
}

static void text_never(struct text *t, const struct registers *x, int64_t v)
{
	if (v == WORD_EMPTY)
		return;
	text_add(t, ", and nothing wrote ");
	text_plain(t, x->part, v);
	text_add(t, " again");
}

/* `reader` saw v, whose only source is `writer` or the beginning. */
static bool explain_gone(struct text *t, const struct registers *x, const struct lin_op *reader,
			 int64_t v, const struct lin_op *writer)
{
	const struct lin_part *p = x->part;

	for (uint32_t i = 0; i < p->nops; i++) {
		const struct register_op *r = &x->ops[i];
		const struct lin_op *op = &p->ops[i];
		bool wrote = r->kind != REGISTER_READ && r->to != v;

		if (!before(op, reader) || (!wrote && sees(r, v)) || (writes(r, v) && !wrote) ||
		    !was_there(x, v, writer, op))
			continue;
		text_op(t, p, reader);
		text_add(t, ", but ");
		text_op(t, p, op);
		text_add(t, wrote ? " had finished" : " had seen another value");
		if (writer) {
			text_add(t, " after ");
			text_plain(t, p, v);
			text_add(t, " was written and before it began");
		} else {
			text_add(t, " before it began");
			text_never(t, x, v);
		}
		return true;
	}
	return false;
}

/* Two operations replaced the same v. */
static bool explain_taken(struct text *t, const struct registers *x, uint32_t first, int64_t v)
{
	const struct lin_part *p = x->part;

	if (!takes(&x->ops[first], v))
		return false;
	for (uint32_t i = first + 1; i < p->nops; i++) {
		if (!takes(&x->ops[i], v))
			continue;
		text_add(t, "two operations replaced ");
		text_plain(t, p, v);
		text_add(t, ", but it was there only once: ");
		text_op_thread(t, p, &p->ops[first]);
		text_add(t, " and ");
		text_op_thread(t, p, &p->ops[i]);
		return true;
	}
	return false;
}

/* Reasons with the value that operation `i` saw. */
static bool explain_seen(struct text *t, const struct registers *x, uint32_t i)
{
	const struct lin_part *p = x->part;
	const struct lin_op *op = &p->ops[i], *writer;
	int64_t v = x->ops[i].from;
	uint32_t n = sources(x, v, &writer);

	if (!n) {
		text_op(t, p, op);
		text_add(t, ", but nothing had written ");
		text_plain(t, p, v);
		text_add(t, " by then");
		if (x->initial != WORD_EMPTY) {
			text_add(t, ", and the %s began with ", p->spec->adt->noun);
			text_plain(t, p, x->initial);
		}
		return true;
	}
	if (n > 1)
		return false;
	return explain_gone(t, x, op, v, writer) || explain_taken(t, x, i, v);
}

bool explain_register(struct text *t, const struct lin_part *part,
		      bool (*classify)(const struct lin_part *, const struct lin_op *,
				       struct register_op *),
		      int64_t initial)
{
	struct registers x = { .part = part, .initial = initial };
	bool known = true, done = false;

	x.ops = xcalloc(part->nops + 1, sizeof *x.ops);
	for (uint32_t i = 0; i < part->nops; i++)
		known &= classify(part, &part->ops[i], &x.ops[i]);
	for (uint32_t i = 0; known && !done && i < part->nops; i++)
		if (x.ops[i].kind != REGISTER_WRITE)
			done = explain_seen(t, &x, i);
	free(x.ops);
	return done;
}
