/* SPDX-License-Identifier: MIT */
#include "base/numbering.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(const unsigned char *p, size_t size)
{
	uint64_t h = size, word;

	for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
		memcpy(&word, p, sizeof word);
		h = hash_mix(h, word);
	}
	word = 0;
	memcpy(&word, p, size);
	h = hash_mix(h, word);
	return h ^ h >> 32;
}

static void grow_slots(struct numbering *m)
{
	free(m->slots);
	m->nslots = m->nslots ? m->nslots * 2 : 64;
	m->slots = xcalloc(m->nslots, sizeof *m->slots);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t at = (uint32_t)m->keys[i].hash & (m->nslots - 1);

		while (m->slots[at])
			at = (at + 1) & (m->nslots - 1);
		m->slots[at] = i + 1;
	}
}

static void store_key(struct numbering *m, const void *key, size_t size, uint64_t hash)
{
	if (m->bytes_capacity - m->used <= size) { /* also for the first key, which may be empty */
		m->bytes_capacity = m->bytes_capacity * 2 + size + 256;
		m->bytes = xrealloc(m->bytes, m->bytes_capacity);
	}
	VEC_GROW(m->keys, m->n, m->keys_capacity);
	m->keys[m->n++] = (struct numbering_key){ hash, m->used, size };
	memcpy(m->bytes + m->used, key, size);
	m->used += size;
}

uint32_t numbering_add(struct numbering *m, const void *key, size_t size, bool *added)
{
	uint64_t hash = hash_bytes(key, size);
	uint32_t at;

	if (m->n >= m->nslots / 2)
		grow_slots(m);
	at = (uint32_t)hash & (m->nslots - 1);
	for (; m->slots[at]; at = (at + 1) & (m->nslots - 1)) {
		const struct numbering_key *k = &m->keys[m->slots[at] - 1];

		if (k->hash == hash && k->size == size && !memcmp(m->bytes + k->start, key, size)) {
			*added = false;
			return m->slots[at] - 1;
		}
	}
	m->slots[at] = m->n + 1;
	store_key(m, key, size, hash);
	*added = true;
	return m->n - 1;
}

void numbering_free(struct numbering *m)
{
	free(m->slots);
	free(m->keys);
	free(m->bytes);
	memset(m, 0, sizeof *m);
}
