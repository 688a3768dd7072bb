/* SPDX-License-Identifier: MIT
 *
 * Key-value store of strings with append, as in the logs of distributed stores: get of an absent
 * key is "" or nothing.
 *
 * The state of a key is the row of pieces that were put and appended, never their concatenation: an
 * append costs nothing, and only a get whose length fits has to compare.
 */
#include "problem.h"

#include <string.h>

enum { GET, PUT, APPEND };

static const struct adt_method methods[] = {
	{ "get read", GET, 1, 1, M_READS | M_KEY },
	{ "put set write", PUT, 2, 2, M_KEY },
	{ "append", APPEND, 2, 2, M_KEY },
	{ 0 },
};

/* A piece as text; numbers are written out into the buffer. */
static const char *text_of(const struct state *s, int64_t word, char buffer[24], size_t *n)
{
	const struct history *h = s->problem->history;

	if (word == WORD_EMPTY) {
		*n = 0;
		return "";
	}
	if (word < WORD_STRING(h->nstrings)) {
		const char *text = h->strings[word - WORD_STRING(0)];

		*n = strlen(text);
		return text;
	}
	*n = (size_t)snprintf(buffer, 24, "%lld", (long long)word);
	return buffer;
}

/* Compares from the last piece, because that is where histories differ. w[0] is the length of
 * everything. */
static bool equals(const struct state *s, int64_t word)
{
	char left[24], right[24];
	size_t n, k;
	const char *want = text_of(s, word, left, &n), *piece;

	if ((int64_t)n != s->w[0])
		return false;
	for (uint32_t i = s->n; i > 1; i--) {
		piece = text_of(s, s->w[i - 1], right, &k);
		n -= k;
		if (memcmp(want + n, piece, k))
			return false;
	}
	return true;
}

static void init(struct state *s, const int64_t *parameters, int n)
{
	state_push(s, 0);
}

static enum step add_piece(struct state *s, const struct lin_op *op)
{
	char buffer[24];
	size_t n;

	text_of(s, op->b, buffer, &n);
	if (!n)
		return STEP_SAME;
	state_put(s, 0, s->w[0] + (int64_t)n);
	state_push(s, op->b);
	return STEP_CHANGED;
}

static enum step step(struct state *s, const struct lin_op *op)
{
	bool was_empty = s->n == 1;

	switch (op->code) {
	case GET:
		return equals(s, op->r) ? STEP_SAME : STEP_ILLEGAL;
	case PUT:
		while (s->n > 1)
			state_pop(s);
		if (s->w[0])
			state_put(s, 0, 0);
		return add_piece(s, op) == STEP_SAME && was_empty ? STEP_SAME : STEP_CHANGED;
	case APPEND:
		return add_piece(s, op);
	}
	return STEP_ILLEGAL;
}

static const struct adt kv = {
	.names = "kv key-value kv-store",
	.noun = "key-value store",
	.traits = ADT_KEYS,
	.methods = methods,
	.init = init,
	.step = step,
};

const struct adt *const adt_kv[] = { &kv, NULL };
