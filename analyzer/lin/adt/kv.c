/* SPDX-License-Identifier: MIT
 *
 * Key-value store of strings with append, as in the logs of distributed stores: get of an absent
 * key is "" or nothing.
 *
 * The state of a key is the row of pieces that were put and appended, never their concatenation: an
 * append costs nothing, and only a get whose length fits has to compare. Every key has room for all
 * that is ever written to it, so that the places of keys do not move: the length of its text, the
 * number of pieces, the pieces, zeros.
 */
#include "lin/problem.h"

#include <stdlib.h>
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

enum { LENGTH, COUNT, PIECES }; /* from the place of a key on */

/* Compares from the last piece, because that is where histories differ. */
static bool equals(const struct state *s, const int64_t *key, int64_t word)
{
	char left[24], right[24];
	size_t n, k;
	const char *want = text_of(s, word, left, &n), *piece;

	if ((int64_t)n != key[LENGTH])
		return false;
	for (int64_t i = key[COUNT]; i--;) {
		piece = text_of(s, key[PIECES + i], right, &k);
		n -= k;
		if (memcmp(want + n, piece, k))
			return false;
	}
	return true;
}

/* By operation: where its key is in the state, and where its piece stands in the result of some
 * get; NULL if that is not known. */
struct place {
	const char *result;
	size_t at;
	uint32_t key;
};

#define MAX_LENGTHS 16

/* The pieces by their text. */
struct pieces {
	const struct lin_part *part;
	const char *const *strings;
	uint32_t *slots; /* operation + 1 */
	uint32_t mask;
	size_t lengths[MAX_LENGTHS];
	int nlengths;
	bool *shared; /* by operation: others write the same text */
};

static const char *piece_text(const struct pieces *x, uint32_t op)
{
	return x->strings[x->part->ops[op].b - WORD_STRING(0)];
}

static uint32_t *piece_slot(const struct pieces *x, const char *text, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = hash_mix(h, (unsigned char)text[i]);
	for (uint32_t i = (uint32_t)(h >> 7) & x->mask;; i = (i + 1) & x->mask) {
		const char *other = x->slots[i] ? piece_text(x, x->slots[i] - 1) : NULL;

		if (!other || (!strncmp(other, text, n) && !other[n]))
			return &x->slots[i];
	}
}

/* False if the lengths are too many, or something is no text. */
static bool add_length(struct pieces *x, size_t n)
{
	for (int i = 0; i < x->nlengths; i++)
		if (x->lengths[i] == n)
			return true;
	if (!n || x->nlengths == MAX_LENGTHS)
		return false;
	x->lengths[x->nlengths++] = n;
	return true;
}

static bool index_pieces(struct pieces *x)
{
	const struct lin_part *p = x->part;
	uint32_t nstrings = p->problem->history->nstrings;

	for (uint32_t i = 0; i < p->nops; i++) {
		const struct lin_op *op = &p->ops[i];
		uint32_t *slot;
		size_t n;

		if (op->code == GET)
			continue;
		if (op->b >= WORD_STRING(nstrings) || op->b == WORD_EMPTY)
			return false;
		n = strlen(piece_text(x, i));
		if (!add_length(x, n))
			return false;
		slot = piece_slot(x, piece_text(x, i), n);
		if (*slot)
			x->shared[*slot - 1] = true;
		else
			*slot = i + 1;
	}
	return true;
}

/* The only piece that the text can begin with, or NULL. */
static const uint32_t *next_piece(const struct pieces *x, const char *text, size_t left, size_t *n)
{
	const uint32_t *found = NULL;

	for (int i = 0; i < x->nlengths; i++) {
		const uint32_t *slot =
			x->lengths[i] <= left ? piece_slot(x, text, x->lengths[i]) : NULL;

		if (!slot || !*slot)
			continue;
		if (found)
			return NULL;
		found = slot;
		*n = x->lengths[i];
	}
	return found;
}

/*
 * Notes the places of a result's pieces from `at` on. Returns up to where a longer result that
 * begins with this one is taken apart in the same way: where the longest piece would not have gone
 * beyond the end.
 */
static size_t take_apart(const struct pieces *x, const char *result, size_t at,
			 struct place *places)
{
	size_t size = strlen(result), n = 0, same = at, longest = 0;
	const uint32_t *slot;

	for (int i = 0; i < x->nlengths; i++)
		longest = x->lengths[i] > longest ? x->lengths[i] : longest;
	for (; at < size; at += n) {
		if (at + longest <= size)
			same = at;
		slot = next_piece(x, result + at, size - at, &n);
		if (!slot)
			break;
		if (!x->shared[*slot - 1]) {
			places[*slot - 1].result = result;
			places[*slot - 1].at = at;
		}
	}
	return same;
}

/* Most results continue the one before, whose places are known. */
static void find_places(const struct pieces *x, struct place *places)
{
	const struct lin_part *p = x->part;
	const char *before = "";
	size_t known = 0;

	for (uint32_t i = 0; i < p->nops; i++) {
		const char *result;

		if (p->ops[i].code != GET || p->ops[i].r == WORD_EMPTY ||
		    p->ops[i].r >= WORD_STRING(p->problem->history->nstrings))
			continue;
		result = x->strings[p->ops[i].r - WORD_STRING(0)];
		if (strncmp(result, before, known))
			known = 0;
		known = take_apart(x, result, known, places);
		before = result;
	}
}

static struct place *make_places(const struct lin_part *p)
{
	struct pieces x = { .part = p, .mask = 31 };
	struct place *places = xcalloc(p->nops, sizeof *places);

	x.strings = (const char *const *)p->problem->history->strings;
	while (x.mask < 2 * p->nops)
		x.mask = 2 * x.mask + 1;
	x.slots = xcalloc((size_t)x.mask + 1, sizeof *x.slots);
	x.shared = xcalloc(p->nops, sizeof *x.shared);
	if (index_pieces(&x))
		find_places(&x, places);
	free(x.slots);
	free(x.shared);
	return places;
}

/* The keys one after the other, by first operation; returns the size of the state. */
static uint32_t place_keys(const struct lin_part *p, struct place *places)
{
	uint32_t mask = 15, n = 0, *slots, *room = xcalloc(p->nops, sizeof *room);

	while (mask < 2 * p->nops)
		mask = 2 * mask + 1;
	slots = xcalloc((size_t)mask + 1, sizeof *slots); /* first operation + 1 */
	for (uint32_t i = 0; i < p->nops; i++) {
		uint32_t k = (uint32_t)(hash_mix(3, (uint64_t)p->ops[i].a) >> 8) & mask;

		while (slots[k] && p->ops[slots[k] - 1].a != p->ops[i].a)
			k = (k + 1) & mask;
		if (!slots[k])
			slots[k] = i + 1;
		places[i].key = slots[k] - 1;
		room[slots[k] - 1] += p->ops[i].code != GET;
	}
	for (uint32_t i = 0; i < p->nops; i++) {
		if (places[i].key != i) {
			places[i].key = places[places[i].key].key;
			continue;
		}
		places[i].key = n;
		n += PIECES + room[i];
	}
	free(slots);
	free(room);
	return n;
}

static void init(struct state *s, const int64_t *parameters, int n)
{
	struct place *places = make_places(s->part);
	uint32_t size = place_keys(s->part, places);

	for (uint32_t i = 0; i < size; i++)
		state_push(s, 0);
	s->extra = places;
}

/* Are the contents what is before the piece where a get saw it? The length and the last piece are
 * looked at. */
static bool in_place(const struct state *s, const struct place *place)
{
	const int64_t *key = s->w + place->key;
	const char *last;
	char buffer[24];
	size_t n;

	if (!place->result)
		return true;
	if (place->at != (size_t)key[LENGTH])
		return false;
	if (!key[COUNT])
		return true;
	last = text_of(s, key[PIECES + key[COUNT] - 1], buffer, &n);
	return !memcmp(place->result + place->at - n, last, n);
}

static enum step add_piece(struct state *s, uint32_t key, int64_t piece)
{
	uint32_t count = (uint32_t)s->w[key + COUNT];
	char buffer[24];
	size_t n;

	text_of(s, piece, buffer, &n);
	if (!n)
		return STEP_SAME;
	state_put(s, key + LENGTH, s->w[key + LENGTH] + (int64_t)n);
	state_put(s, key + COUNT, count + 1);
	state_put(s, key + PIECES + count, piece);
	return STEP_CHANGED;
}

static void clear(struct state *s, uint32_t key)
{
	for (int64_t i = s->w[key + COUNT]; i--;)
		state_put(s, key + PIECES + (uint32_t)i, 0);
	state_put(s, key + COUNT, 0);
	state_put(s, key + LENGTH, 0);
}

static enum step step(struct state *s, const struct lin_op *op)
{
	const struct place *place = (const struct place *)s->extra + (op - s->part->ops);
	bool was_empty = !s->w[place->key + COUNT];

	switch (op->code) {
	case GET:
		return equals(s, s->w + place->key, op->r) ? STEP_SAME : STEP_ILLEGAL;
	case PUT:
		if (!was_empty)
			clear(s, place->key);
		return add_piece(s, place->key, op->b) == STEP_SAME && was_empty ? STEP_SAME
										 : STEP_CHANGED;
	case APPEND:
		return in_place(s, place) ? add_piece(s, place->key, op->b) : STEP_ILLEGAL;
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
