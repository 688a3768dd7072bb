/* SPDX-License-Identifier: MIT
 *
 * Operations and values in the words of the API.
 */
#include "lin/explain/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return;
	if (t->n + (size_t)n + 1 > t->capacity) {
		t->capacity = 2 * (t->n + (size_t)n + 1);
		t->s = xrealloc(t->s, t->capacity);
	}
	va_start(args, format);
	vsnprintf(t->s + t->n, (size_t)n + 1, format, args);
	va_end(args);
	t->n += (size_t)n;
}

/* `takes`: "empty" reads better than "nothing"; `truth`: 0 and 1 are false and true. */
static void text_word(struct text *t, const struct lin_part *part, int64_t word, bool takes,
		      bool truth)
{
	const struct history *h = part->problem->history;

	if (word == WORD_EMPTY)
		text_add(t, takes ? "empty" : "nothing");
	else if (word < WORD_STRING(h->nstrings))
		text_add(t, "\"%.200s\"", h->strings[word - WORD_STRING(0)]);
	else if (truth && (word == 0 || word == 1))
		text_add(t, word ? "true" : "false");
	else
		text_add(t, "%" PRId64, word);
}

static const struct adt_method *method_of(const struct lin_part *part, const struct lin_op *op)
{
	const struct adt *adt = part->spec->adt;

	return adt->methods ? &adt->methods[op->method] : NULL;
}

uint8_t op_method_flags(const struct lin_part *part, const struct lin_op *op)
{
	const struct adt_method *m = method_of(part, op);

	return m ? m->flags : 0;
}

bool op_gives_truth(const struct lin_part *part, const struct lin_op *op)
{
	const struct adt_method *m = method_of(part, op);

	return m && ((m->flags & M_SUCCEEDS) || !strncmp(m->names, "contains", 8) ||
		     !strncmp(m->names, "is", 2));
}

static void text_argument(struct text *t, const struct lin_part *part, const struct value *v)
{
	if (v->tag == VALUE_STRING)
		text_add(t, "\"%.200s\"", part->problem->history->strings[v->v]);
	else if (v->tag == VALUE_INT)
		text_add(t, "%" PRId64, v->v);
	else
		text_add(t, "nothing");
}

static void text_call(struct text *t, const struct lin_part *part, const struct lin_op *op)
{
	const struct history *h = part->problem->history;
	const struct history_op *o = &h->ops[op->id];

	text_add(t, "%.100s", h->methods[o->method]);
	for (int i = 0; i < o->nargs; i++) {
		text_add(t, i ? ", " : "(");
		text_argument(t, part, &o->args[i]);
	}
	if (o->nargs)
		text_add(t, ")");
}

void text_result(struct text *t, const struct lin_part *part, const struct lin_op *op, int64_t word)
{
	text_word(t, part, word, op_method_flags(part, op) & M_TAKES, op_gives_truth(part, op));
}

void text_op(struct text *t, const struct lin_part *part, const struct lin_op *op)
{
	text_call(t, part, op);
	if (op->flags & OP_ANY)
		return;
	/* The result of an add that succeeded is left out. */
	if ((op_method_flags(part, op) & M_ADDS) && op_true(op))
		return;
	text_add(t, " -> ");
	text_result(t, part, op, op->r);
}

void text_op_thread(struct text *t, const struct lin_part *part, const struct lin_op *op)
{
	const struct history *h = part->problem->history;
	int32_t thread = h->ops[op->id].thread;

	text_op(t, part, op);
	if (thread >= 0 && history_has_thread(h, (uint32_t)thread))
		text_add(t, " (%s)", h->threads[thread]);
	else
		text_add(t, " (thread %" PRId32 ")", thread);
}

void text_plain(struct text *t, const struct lin_part *part, int64_t word)
{
	text_word(t, part, word, false, false);
}
