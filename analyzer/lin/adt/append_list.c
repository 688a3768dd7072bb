/* SPDX-License-Identifier: MIT
 *
 * List that only grows: append(v) may return the new length, read the whole list as text ("1 2 3",
 * commas and brackets are skipped), get(i) the element at i from 0, or nothing.
 */
#include "lin/adt.h"
#include "lin/problem.h"

#include <stdlib.h>
#include <string.h>

enum { APPEND, READ, GET, SIZE };

static const struct adt_method methods[] = {
	{ "append add push", APPEND, 1, 1, 0 },
	{ "read list readall contents", READ, 0, 0, M_READS },
	{ "get at", GET, 1, 1, M_READS },
	{ "size count length len", SIZE, 0, 0, M_READS },
	{ 0 },
};

/* Does the word n bytes long at `text` stand for the element? */
static bool is_element(const struct history *h, int64_t element, const char *text, size_t n)
{
	char number[24];

	if (element == WORD_EMPTY)
		return n == 3 && !memcmp(text, "nil", 3);
	if (element < WORD_STRING(h->nstrings)) {
		const char *s = h->strings[element - WORD_STRING(0)];

		return strlen(s) == n && !memcmp(s, text, n);
	}
	return (size_t)snprintf(number, sizeof number, "%lld", (long long)element) == n &&
	       !memcmp(number, text, n);
}

static bool reads(const struct state *s, int64_t word)
{
	static const char separators[] = " ,;[]()\t";
	const struct history *h = s->problem->history;
	const char *text;
	uint32_t i = 0;

	if (word == WORD_EMPTY)
		return !state_size(s);
	if (word >= WORD_STRING(h->nstrings)) /* a number: a list of one */
		return state_size(s) == 1 && s->w[0] == word;
	text = h->strings[word - WORD_STRING(0)];
	for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
		size_t n = strcspn(text, separators);

		if (i == s->n || !is_element(h, s->w[i++], text, n))
			return false;
		text += n;
	}
	return i == s->n;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	switch (op->code) {
	case APPEND:
		if (!op_gives(op, (int64_t)s->n + 1))
			return STEP_ILLEGAL;
		state_push(s, op->a);
		return STEP_CHANGED;
	case READ:
		return reads(s, op->r) ? STEP_SAME : STEP_ILLEGAL;
	case GET:
		return op_looks(op, op->a >= 0 && op->a < s->n ? s->w[op->a] : WORD_EMPTY);
	case SIZE:
		return op_looks(op, s->n);
	}
	return STEP_ILLEGAL;
}

static const struct adt append_list = {
	.names = "append-list list log list-append",
	.noun = "list",
	.shape = SHAPE_SEQUENCE,
	.methods = methods,
	.step = step,
};

const struct adt *const adt_append_list[] = { &append_list, NULL };
