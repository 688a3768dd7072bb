/* SPDX-License-Identifier: MIT
 *
 * Registers: simple reasons why a few reads, writes and compare-and-sets are not linearizable.
 *
 * Most are about a value v with one source, the initial value or a single write: once something
 * else is seen or written after v was there, v is gone. With several sources that must hold for
 * each.
 */
#include "lin/explain/explain.h"

#include <stdlib.h>

struct registers {
	const struct lin_part *part;
	struct register_op *ops; /* by operation */
	bool *skip;              /* by operation: it says nothing that is understood here */
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
		if (!x->skip[i] && sees(&x->ops[i], v) && before(&x->part->ops[i], op))
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

		if (x->skip[i] || !before(op, reader) || (!wrote && sees(r, v)) ||
		    (writes(r, v) && !wrote) || !was_there(x, v, writer, op))
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

/* Something that is not v and surely came after the source and before the reader, or NULL. The
 * source is a write, or NULL for the beginning. */
static const struct lin_op *follower(const struct registers *x, int64_t v,
				     const struct lin_op *source, const struct lin_op *reader)
{
	for (uint32_t i = 0; i < x->part->nops; i++) {
		const struct register_op *r = &x->ops[i];
		const struct lin_op *op = &x->part->ops[i];
		bool other = r->kind == REGISTER_READ ? r->from != v : r->to != v;

		if (other && !x->skip[i] && before(op, reader) && (!source || before(source, op)))
			return op;
	}
	return NULL;
}

/* `reader` saw v, which was written several times, but every time it was gone again. */
static bool explain_each(struct text *t, const struct registers *x, const struct lin_op *reader,
			 int64_t v)
{
	const struct lin_part *p = x->part;
	uint32_t listed = 0;

	for (uint32_t i = 0; i < p->nops; i++)
		if (writes(&x->ops[i], v) && &p->ops[i] != reader &&
		    !follower(x, v, &p->ops[i], reader))
			return false;
	if (x->initial == v && !follower(x, v, NULL, reader))
		return false;
	text_op(t, p, reader);
	text_add(t, ", but each time that ");
	text_plain(t, p, v);
	text_add(t, " was written something else followed before it began: ");
	for (uint32_t i = 0; i < p->nops && listed <= MAX_LISTED; i++) {
		if (!writes(&x->ops[i], v) || &p->ops[i] == reader)
			continue;
		text_add(t, listed ? "; " : "");
		if (listed++ == MAX_LISTED) {
			text_add(t, "...");
			break;
		}
		text_op(t, p, &p->ops[i]);
		text_add(t, ", then ");
		text_op(t, p, follower(x, v, &p->ops[i], reader));
	}
	return true;
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

/* Does some operation about v return before `op` is called? */
static const struct lin_op *earlier(const struct registers *x, int64_t v, const struct lin_op *op)
{
	for (uint32_t i = 0; i < x->part->nops; i++)
		if (!x->skip[i] && (sees(&x->ops[i], v) || writes(&x->ops[i], v)) &&
		    before(&x->part->ops[i], op))
			return &x->part->ops[i];
	return NULL;
}

/* Two values, each written once: one was seen before the other, and the other before it. */
static bool explain_crossed(struct text *t, const struct registers *x, uint32_t first)
{
	const struct lin_part *p = x->part;
	int64_t v = x->ops[first].from;
	const struct lin_op *writer;

	if (sources(x, v, &writer) != 1)
		return false;
	for (uint32_t i = 0; i < p->nops; i++) {
		int64_t u = x->ops[i].from;
		const struct lin_op *a, *b;

		if (x->skip[i] || x->ops[i].kind == REGISTER_WRITE || u == v ||
		    sources(x, u, &writer) != 1)
			continue;
		a = earlier(x, v, &p->ops[i]);
		b = earlier(x, u, &p->ops[first]);
		if (!a || !b)
			continue;
		text_op_thread(t, p, a);
		text_add(t, " returned before ");
		text_op_thread(t, p, &p->ops[i]);
		text_add(t, " began, and ");
		text_op_thread(t, p, b);
		text_add(t, " before ");
		text_op_thread(t, p, &p->ops[first]);
		text_add(t, ", but neither ");
		text_plain(t, p, v);
		text_add(t, " nor ");
		text_plain(t, p, u);
		text_add(t, " was written twice");
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
		return explain_each(t, x, op, v);
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
	x.skip = xcalloc(part->nops + 1, sizeof *x.skip);
	for (uint32_t i = 0; i < part->nops; i++) {
		x.skip[i] = !classify(part, &part->ops[i], &x.ops[i]);
		known &= !x.skip[i] || (part->ops[i].flags & OP_OBSERVER);
		if (x.skip[i])
			x.ops[i] = (struct register_op){ .kind = REGISTER_READ };
	}
	for (uint32_t i = 0; known && !done && i < part->nops; i++)
		if (!x.skip[i] && x.ops[i].kind != REGISTER_WRITE)
			done = explain_seen(t, &x, i);
	for (uint32_t i = 0; known && !done && i < part->nops; i++)
		if (!x.skip[i] && x.ops[i].kind != REGISTER_WRITE)
			done = explain_crossed(t, &x, i);
	free(x.ops);
	free(x.skip);
	return done;
}
