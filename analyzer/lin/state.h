/* SPDX-License-Identifier: MIT
 *
 * The state of a specification during a search: a row of words that can be changed, undone, hashed
 * and compared.
 *
 * Two ways to use it, one per specification. As a *sequence* (stack, queue, register): words at
 * absolute positions, changed with state_put, state_push, state_pop, state_shift, state_unshift. As
 * a *table* (set, map, priority queue): pairs (key, value) sorted by key, changed with table_put
 * and table_remove. Every change is logged, so that state_undo goes back; the 128-bit hash is kept
 * up to date along the way.
 */
#ifndef LINCHPIN_LIN_STATE_H
#define LINCHPIN_LIN_STATE_H

#include "base/util.h"

struct lin_problem;
struct lin_part;

struct undo {
	uint32_t kind, at;
	int64_t old, value;
};

struct state {
	int64_t *w;
	uint32_t head, n; /* w[head .. n) are in use; a table has head 0 and 2 words an entry */
	uint32_t capacity;
	uint32_t nlog, log_capacity;
	uint64_t hash[2];
	struct undo *log;
	const struct lin_problem *problem;
	const struct lin_part *part;
	void *extra; /* of the specification: made by init(), freed with the state, never changed */
	bool own_w, own_log; /* came from malloc, not from the caller's buffer */
};

static inline uint32_t state_size(const struct state *s)
{
	return s->n - s->head;
}

static inline int64_t state_first(const struct state *s)
{
	return s->w[s->head];
}

static inline int64_t state_last(const struct state *s)
{
	return s->w[s->n - 1];
}

void state_free(struct state *s);
void state_undo(struct state *s, uint32_t nlog); /* back to when s->nlog was that */

void state_put(struct state *s, uint32_t at, int64_t v); /* w[at], head <= at < n */
void state_push(struct state *s, int64_t v);             /* at the end */
void state_pop(struct state *s);                         /* at the end; not empty */
void state_shift(struct state *s);                       /* at the front; not empty */
void state_unshift(struct state *s, int64_t v);          /* at the front; see state_room */
void state_room(struct state *s, uint32_t n); /* before any push: room for n words in front */

/* The position of the key's pair, or where it belongs. */
uint32_t table_find(const struct state *s, int64_t key);

static inline bool table_at(const struct state *s, uint32_t at, int64_t key)
{
	return at < s->n && s->w[at] == key;
}

int64_t table_get(const struct state *s, int64_t key, int64_t otherwise);
void table_put(struct state *s, int64_t key, int64_t v); /* adds or replaces */
void table_remove(struct state *s, int64_t key);         /* present */
bool table_clear(struct state *s);                       /* false if it was empty */

#endif
