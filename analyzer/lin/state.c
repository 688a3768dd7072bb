/* SPDX-License-Identifier: MIT */
#include "lin/state.h"

#include <stdlib.h>
#include <string.h>

enum undo_kind {
	UNDO_PUT,
	UNDO_PUSH,
	UNDO_POP,
	UNDO_SHIFT,
	UNDO_UNSHIFT,
	UNDO_INSERT,
	UNDO_REMOVE
};

/*
 * The hash is a sum over the words of a mix of position (or key) and word: a change costs two
 * mixes, and the order of the changes does not matter.
 */
static void hash_add(struct state *s, uint64_t position, int64_t v)
{
	uint64_t h = hash_mix(hash_mix(0x243f6a8885a308d3ULL, position), (uint64_t)v);

	s->hash[0] += h ^ h >> 32;
	s->hash[1] += hash_mix(h, 0x13198a2e03707344ULL);
}

static void hash_remove(struct state *s, uint64_t position, int64_t v)
{
	uint64_t h = hash_mix(hash_mix(0x243f6a8885a308d3ULL, position), (uint64_t)v);

	s->hash[0] -= h ^ h >> 32;
	s->hash[1] -= hash_mix(h, 0x13198a2e03707344ULL);
}

static void grow_words(struct state *s, uint32_t need)
{
	uint32_t capacity = s->capacity ? s->capacity : 8;

	while (capacity < need)
		capacity *= 2;
	if (s->own_w) {
		s->w = xreallocarray(s->w, capacity, sizeof *s->w);
	} else {
		int64_t *w = xreallocarray(NULL, capacity, sizeof *w);

		if (s->n)
			memcpy(w, s->w, s->n * sizeof *w);
		s->w = w;
		s->own_w = true;
	}
	s->capacity = capacity;
}

static void record(struct state *s, uint32_t kind, uint32_t at, int64_t old, int64_t value)
{
	if (s->nlog == s->log_capacity) {
		uint32_t capacity = s->log_capacity ? 2 * s->log_capacity : 32;

		if (s->own_log) {
			s->log = xreallocarray(s->log, capacity, sizeof *s->log);
		} else {
			struct undo *log = xreallocarray(NULL, capacity, sizeof *log);

			if (s->nlog)
				memcpy(log, s->log, s->nlog * sizeof *log);
			s->log = log;
			s->own_log = true;
		}
		s->log_capacity = capacity;
	}
	s->log[s->nlog++] = (struct undo){ kind, at, old, value };
}

void state_free(struct state *s)
{
	if (s->own_w)
		free(s->w);
	if (s->own_log)
		free(s->log);
	free(s->extra);
	s->extra = NULL;
	s->own_w = s->own_log = false;
}

static void change(struct state *s, uint32_t at, int64_t v)
{
	hash_remove(s, at, s->w[at]);
	hash_add(s, at, v);
	s->w[at] = v;
}

void state_put(struct state *s, uint32_t at, int64_t v)
{
	record(s, UNDO_PUT, at, s->w[at], v);
	change(s, at, v);
}

void state_push(struct state *s, int64_t v)
{
	if (s->n == s->capacity)
		grow_words(s, s->n + 1);
	record(s, UNDO_PUSH, s->n, 0, v);
	s->w[s->n] = v;
	hash_add(s, s->n++, v);
}

void state_pop(struct state *s)
{
	s->n--;
	record(s, UNDO_POP, s->n, s->w[s->n], 0);
	hash_remove(s, s->n, s->w[s->n]);
}

void state_shift(struct state *s)
{
	record(s, UNDO_SHIFT, s->head, s->w[s->head], 0);
	hash_remove(s, s->head, s->w[s->head]);
	s->head++;
}

void state_unshift(struct state *s, int64_t v)
{
	s->head--;
	record(s, UNDO_UNSHIFT, s->head, s->w[s->head], v);
	s->w[s->head] = v;
	hash_add(s, s->head, v);
}

void state_room(struct state *s, uint32_t n)
{
	if (s->capacity < n)
		grow_words(s, n);
	if (n)
		memset(s->w, 0, n * sizeof *s->w);
	s->head = s->n = n;
}

uint32_t table_find(const struct state *s, int64_t key)
{
	uint32_t low = 0, high = s->n / 2;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (s->w[2 * middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return 2 * low;
}

int64_t table_get(const struct state *s, int64_t key, int64_t otherwise)
{
	uint32_t at = table_find(s, key);

	return table_at(s, at, key) ? s->w[at + 1] : otherwise;
}

static void insert(struct state *s, uint32_t at, int64_t key, int64_t v)
{
	if (s->n + 2 > s->capacity)
		grow_words(s, s->n + 2);
	memmove(s->w + at + 2, s->w + at, (s->n - at) * sizeof *s->w);
	s->w[at] = key;
	s->w[at + 1] = v;
	s->n += 2;
	hash_add(s, (uint64_t)key, v);
}

static void erase(struct state *s, uint32_t at)
{
	hash_remove(s, (uint64_t)s->w[at], s->w[at + 1]);
	s->n -= 2;
	memmove(s->w + at, s->w + at + 2, (s->n - at) * sizeof *s->w);
}

static void replace(struct state *s, uint32_t at, int64_t v)
{
	hash_remove(s, (uint64_t)s->w[at], s->w[at + 1]);
	hash_add(s, (uint64_t)s->w[at], v);
	s->w[at + 1] = v;
}

/* A replacement is logged as a removal and an insertion. */
void table_put(struct state *s, int64_t key, int64_t v)
{
	uint32_t at = table_find(s, key);

	if (table_at(s, at, key)) {
		record(s, UNDO_REMOVE, at, key, s->w[at + 1]);
		record(s, UNDO_INSERT, at, key, v);
		replace(s, at, v);
		return;
	}
	record(s, UNDO_INSERT, at, key, v);
	insert(s, at, key, v);
}

void table_remove(struct state *s, int64_t key)
{
	uint32_t at = table_find(s, key);

	record(s, UNDO_REMOVE, at, key, s->w[at + 1]);
	erase(s, at);
}

bool table_clear(struct state *s)
{
	if (!s->n)
		return false;
	while (s->n)
		table_remove(s, s->w[s->n - 2]);
	return true;
}

static void undo_one(struct state *s, const struct undo *u)
{
	switch (u->kind) {
	case UNDO_PUT:
		change(s, u->at, u->old);
		break;
	case UNDO_PUSH:
		s->n--;
		hash_remove(s, s->n, s->w[s->n]);
		break;
	case UNDO_POP:
		/* A later push may have overwritten it. */
		s->w[s->n] = u->old;
		hash_add(s, s->n++, u->old);
		break;
	case UNDO_SHIFT:
		s->w[--s->head] = u->old;
		hash_add(s, s->head, u->old);
		break;
	case UNDO_UNSHIFT:
		hash_remove(s, s->head, s->w[s->head]);
		s->head++;
		break;
	case UNDO_INSERT:
		erase(s, u->at);
		break;
	case UNDO_REMOVE:
		insert(s, u->at, u->old, u->value);
		break;
	}
}

void state_undo(struct state *s, uint32_t nlog)
{
	while (s->nlog > nlog)
		undo_one(s, &s->log[--s->nlog]);
}
