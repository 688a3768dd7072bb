/* SPDX-License-Identifier: MIT
 *
 * Open addressing on 128-bit hashes; a hit is compared exactly, field by field, so that a collision
 * costs time and never a wrong answer. Bytes are counted before they are taken.
 */
#include "lin/search/memo.h"

#include <stdlib.h>
#include <string.h>

void lin_memo_init(struct memo *m, size_t limit, size_t *used)
{
	m->limit = limit;
	m->used = used;
	m->mine = 0;
	m->locked = false;
	m->total = 0;
	m->nshards = 1;
	memset(&m->shards[0], 0, sizeof m->shards[0]);
}

/* Entries that exist already stay in the first shard, which is searched as well. */
void lin_memo_share(struct memo *m)
{
	memset(&m->shards[1], 0, sizeof m->shards - sizeof m->shards[0]);
	for (int i = 0; i < MEMO_SHARDS; i++)
		pthread_mutex_init(&m->shards[i].lock, NULL);
	m->locked = true;
	m->nshards = MEMO_SHARDS;
}

void lin_memo_free(struct memo *m)
{
	for (uint32_t i = 0; i < m->nshards; i++) {
		struct memo_shard *s = &m->shards[i];

		for (uint32_t k = 0; k < s->nchunks; k++)
			free(s->chunks[k]);
		free(s->chunks);
		free(s->entries);
		free(s->slots);
		if (m->locked)
			pthread_mutex_destroy(&s->lock);
	}
	__atomic_fetch_sub(m->used, m->mine, __ATOMIC_RELAXED);
}

static bool reserve(struct memo *m, size_t bytes)
{
	size_t before = __atomic_fetch_add(m->used, bytes, __ATOMIC_RELAXED);

	if (before + bytes > m->limit) {
		__atomic_fetch_sub(m->used, bytes, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_fetch_add(&m->mine, bytes, __ATOMIC_RELAXED);
	return true;
}

static void release(struct memo *m, size_t bytes)
{
	__atomic_fetch_sub(m->used, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&m->mine, bytes, __ATOMIC_RELAXED);
}

static bool same(const uint64_t *entry, const struct memo_key *key)
{
	if (entry[0] != key->head || memcmp(entry + 1, key->mask, key->nmask * sizeof *key->mask))
		return false;
	return !key->nwords ||
	       !memcmp(entry + 1 + key->nmask, key->words, key->nwords * sizeof *key->words);
}

/* The slot with the key, or the free slot where it belongs. */
static struct memo_slot *find(const struct memo_shard *s, const struct memo_key *key)
{
	for (uint32_t i = (uint32_t)(key->hash[0] >> 8) & s->mask;; i = (i + 1) & s->mask) {
		struct memo_slot *slot = &s->slots[i];

		if (!slot->entry ||
		    (slot->hash == key->hash[0] && slot->check == (uint32_t)key->hash[1] &&
		     same(s->entries[slot->entry - 1], key)))
			return slot;
	}
}

static bool has(const struct memo_shard *s, const struct memo_key *key)
{
	return s->count && find(s, key)->entry;
}

static struct memo_shard *shard_of(struct memo *m, const struct memo_key *key)
{
	return &m->shards[key->hash[0] & (m->nshards - 1)];
}

static bool has_locked(struct memo_shard *s, const struct memo_key *key)
{
	bool found;

	pthread_mutex_lock(&s->lock);
	found = has(s, key);
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool lin_memo_has(struct memo *m, const struct memo_key *key)
{
	if (!m->locked)
		return m->total && has(&m->shards[0], key);
	return has_locked(shard_of(m, key), key) ||
	       (shard_of(m, key) != &m->shards[0] && has_locked(&m->shards[0], key));
}

static bool grow_slots(struct memo *m, struct memo_shard *s)
{
	uint32_t size = s->slots ? 2 * (s->mask + 1) : 64, old = s->slots ? s->mask + 1 : 0;
	struct memo_slot *before = s->slots;

	if (!reserve(m, size * (sizeof *before + sizeof *s->entries / 2)))
		return false;
	s->slots = xcalloc(size, sizeof *s->slots);
	s->mask = size - 1;
	s->entries_capacity = size / 2;
	s->entries = xreallocarray(s->entries, s->entries_capacity, sizeof *s->entries);
	for (uint32_t i = 0; i < old; i++) {
		uint32_t at = (uint32_t)(before[i].hash >> 8) & s->mask;

		if (!before[i].entry)
			continue;
		while (s->slots[at].entry)
			at = (at + 1) & s->mask;
		s->slots[at] = before[i];
	}
	free(before);
	release(m, old * (sizeof *before + sizeof *s->entries / 2));
	return true;
}

static uint64_t *take_words(struct memo *m, struct memo_shard *s, uint32_t n)
{
	uint32_t size;

	if (s->room < n) {
		/* The first chunks are small: most searches remember little. */
		size = s->nchunks < 8 ? 256u << s->nchunks : MEMO_CHUNK;
		if (size < n)
			size = n;
		if (!reserve(m, size * sizeof(uint64_t)))
			return NULL;
		VEC_GROW(s->chunks, s->nchunks, s->chunks_capacity);
		s->chunks[s->nchunks++] = s->next = xreallocarray(NULL, size, sizeof *s->next);
		s->room = size;
	}
	s->next += n;
	s->room -= n;
	return s->next - n;
}

static bool add(struct memo *m, struct memo_shard *s, const struct memo_key *key)
{
	uint64_t *entry;
	struct memo_slot *slot;

	if (!s->slots || 2 * s->count > s->mask - 1)
		if (!grow_slots(m, s))
			return false;
	slot = find(s, key);
	if (slot->entry)
		return true;
	entry = take_words(m, s, 1 + key->nmask + key->nwords);
	if (!entry)
		return false;
	entry[0] = key->head;
	memcpy(entry + 1, key->mask, key->nmask * sizeof *key->mask);
	if (key->nwords)
		memcpy(entry + 1 + key->nmask, key->words, key->nwords * sizeof *key->words);
	s->entries[s->count++] = entry;
	*slot = (struct memo_slot){ key->hash[0], (uint32_t)key->hash[1], s->count };
	return true;
}

bool lin_memo_add(struct memo *m, const struct memo_key *key)
{
	struct memo_shard *s = shard_of(m, key);
	bool ok;

	if (!m->locked) {
		m->total++;
		return add(m, s, key);
	}
	pthread_mutex_lock(&s->lock);
	ok = add(m, s, key);
	pthread_mutex_unlock(&s->lock);
	return ok;
}
