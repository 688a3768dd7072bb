/* SPDX-License-Identifier: MIT
 *
 * One sentence on why a few operations are not linearizable, in the words of the API.
 *
 * Collections have a handful of typical reasons with sentences of their own; other specifications
 * may bring theirs. Everything else is explained with the deepest partial order that the general
 * search finds: what has to come next, what it returned, and what it would return.
 */
#include "lin/check/witness.h"
#include "lin/explain/explain.h"

#include <stdlib.h>
#include <string.h>

/* What each operation of a collection is about. */
enum role { ROLE_OTHER, ROLE_ADD, ROLE_TAKE, ROLE_EMPTY };

static enum role role_of(const struct lin_part *part, const struct lin_op *op)
{
	uint8_t flags = op_method_flags(part, op);

	if ((flags & M_ADDS) && !(op->flags & OP_OBSERVER))
		return ROLE_ADD;
	if (!(flags & M_TAKES) || op->nargs || (op->flags & OP_ANY))
		return ROLE_OTHER;
	return op->r == WORD_EMPTY ? ROLE_EMPTY : ROLE_TAKE;
}

/* The n-th operation (from 0) of that role and value, or NULL. */
static const struct lin_op *find(const struct lin_part *p, enum role role, int64_t value, int nth)
{
	for (uint32_t i = 0; i < p->nops; i++)
		if (role_of(p, &p->ops[i]) == role &&
		    (role == ROLE_ADD ? p->ops[i].a : p->ops[i].r) == value && !nth--)
			return &p->ops[i];
	return NULL;
}

/* A value that was taken more often than it was added, or before. */
static bool explain_value(struct text *t, const struct lin_part *p)
{
	for (uint32_t i = 0; i < p->nops; i++) {
		const struct lin_op *op = &p->ops[i], *add, *second;

		if (role_of(p, op) != ROLE_TAKE)
			continue;
		add = find(p, ROLE_ADD, op->r, 0);
		second = find(p, ROLE_TAKE, op->r, 1);
		if (!add) {
			text_op(t, p, op);
			text_add(t, " returned a value that was never put in");
			return true;
		}
		if (op->ret < add->call && !find(p, ROLE_ADD, op->r, 1)) {
			text_op(t, p, op);
			text_add(t, " returned before ");
			text_op(t, p, add);
			text_add(t, " began");
			return true;
		}
		if (second && !find(p, ROLE_ADD, op->r, 1)) {
			text_plain(t, p, op->r);
			text_add(t, " was taken out twice (");
			text_op(t, p, op);
			text_add(t, "), but put in once, by ");
			text_op(t, p, add);
			return true;
		}
	}
	return false;
}

/* An empty result although at each moment something was inside. */
static bool explain_empty(struct text *t, const struct lin_part *p)
{
	const struct lin_op *empty = find(p, ROLE_EMPTY, WORD_EMPTY, 0);
	int n = 0;

	for (uint32_t i = 0; i < p->nops; i++)
		if (role_of(p, &p->ops[i]) == ROLE_OTHER)
			return false;
	if (!empty || find(p, ROLE_EMPTY, WORD_EMPTY, 1))
		return false;
	text_op(t, p, empty);
	text_add(t, ", though the %s was not empty at any moment of it: ", p->spec->adt->noun);
	for (uint32_t i = 0; i < p->nops && n < MAX_LISTED; i++) {
		const struct lin_op *add = &p->ops[i], *take;

		if (role_of(p, add) != ROLE_ADD)
			continue;
		take = find(p, ROLE_TAKE, add->a, 0);
		text_add(t, n++ ? "; " : "");
		text_op(t, p, add);
		text_add(t, add->ret < empty->call ? " had finished before it began" : " finished");
		if (!take) {
			text_add(t, " and its value was never taken out");
		} else {
			text_add(t, " and ");
			text_op(t, p, take);
			text_add(t, take->call > empty->ret ? " began after it had returned"
							    : " began later");
		}
	}
	return n > 0;
}

/* First in, first out, violated by two values. */
static bool explain_queue(struct text *t, const struct lin_part *p)
{
	if (strcmp(p->spec->adt->noun, "queue"))
		return false;
	for (uint32_t i = 0; i < p->nops; i++)
		for (uint32_t k = 0; k < p->nops; k++) {
			const struct lin_op *a = &p->ops[i], *b = &p->ops[k], *out_a, *out_b;

			if (role_of(p, a) != ROLE_ADD || role_of(p, b) != ROLE_ADD ||
			    a->ret >= b->call)
				continue;
			out_a = find(p, ROLE_TAKE, a->a, 0);
			out_b = find(p, ROLE_TAKE, b->a, 0);
			if (!out_b || (out_a && out_b->ret >= out_a->call))
				continue;
			text_op(t, p, out_b);
			text_add(t, " returned before ");
			if (out_a)
				text_op(t, p, out_a);
			else
				text_add(t, "anything took out the value of an earlier one");
			text_add(t, out_a ? " began, though " : ", though ");
			text_op(t, p, a);
			text_add(t, " finished before ");
			text_op(t, p, b);
			text_add(t, " started");
			if (!out_a)
				text_add(t, " and its value was never taken out");
			return true;
		}
	return false;
}

/* A result that the operation could have in the state, among words that occur. It is changed and
 * put back. */
static bool would_return(struct state *s, struct lin_op *op, int64_t *word)
{
	const struct lin_part *p = s->part;
	struct lin_op original = *op;
	uint32_t mark = s->nlog, words = 2 * p->nops;
	bool found = false;

	op->flags = 0;
	for (uint32_t i = 0; i < words + 67 && !found; i++) {
		const struct lin_op *other = &p->ops[i < words ? i / 2 : 0];

		op->r = i < words    ? (i & 1 ? other->a : other->r)
			: i == words ? WORD_EMPTY
				     : (int64_t)(i - words) - 2;
		found = op->r != original.r && p->spec->adt->step(s, op) != STEP_ILLEGAL;
		*word = op->r;
		state_undo(s, mark);
	}
	*op = original;
	return found;
}

/* "would return 3": what the blocked operation had to do after the order. False if that is not
 * known. */
static bool text_instead(struct text *t, const struct lin_part *p,
			 const struct search_result *found)
{
	const struct adt *adt = p->spec->adt;
	struct lin_op *blocked = &p->ops[found->blocked];
	struct state s = { .problem = p->problem, .part = p };
	int64_t word;
	bool known;

	if (!adt->methods || (blocked->flags & OP_ANY))
		return false;
	if (adt->init)
		adt->init(&s, p->spec->parameters, p->spec->nparameters);
	for (uint32_t i = 0; i < found->norder; i++)
		adt->step(&s, &p->ops[found->order[i]]);
	known = would_return(&s, blocked, &word);
	if (known && op_gives_truth(p, blocked) && word == WORD_EMPTY)
		word = 0; /* the same, but for the word */
	if (known) {
		text_add(t, "would return ");
		text_result(t, p, blocked, word);
	}
	state_free(&s);
	return known;
}

static void explain_order(struct text *t, const struct lin_part *p, struct lin_run *run)
{
	struct search_result found;
	uint32_t first;

	search_part(p, run, 1, true, &found);
	if (found.blocked == UINT32_MAX || found.blocked >= p->nops) {
		text_add(t, "no order of these operations agrees with their times and with a %s",
			 p->spec->adt->noun);
		free(found.order);
		return;
	}
	text_op(t, p, &p->ops[found.blocked]);
	if (!found.norder) {
		text_add(t, " fits into no order: it has to be the first, but ");
	} else {
		text_add(t, " fits into no order: after ");
		first = found.norder > MAX_LISTED ? found.norder - MAX_LISTED : 0;
		if (first)
			text_add(t, "..., ");
		for (uint32_t i = first; i < found.norder; i++) {
			text_add(t, i > first ? ", " : "");
			text_op(t, p, &p->ops[found.order[i]]);
		}
		text_add(t, ", it has to be next, but ");
	}
	if (!text_instead(t, p, &found))
		text_add(t, "is not possible there");
	free(found.order);
}

char *explain(const struct lin_part *part, struct lin_run *run)
{
	struct text t = { 0 };
	bool done = false;

	if (part->spec->adt->traits & ADT_VALUES)
		done = explain_value(&t, part) || explain_empty(&t, part) ||
		       explain_queue(&t, part);
	if (!done && part->spec->adt->explain)
		done = part->spec->adt->explain(&t, part);
	if (!done)
		explain_order(&t, part, run);
	return t.s;
}
