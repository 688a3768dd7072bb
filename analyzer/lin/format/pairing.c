/* SPDX-License-Identifier: MIT
 *
 * Which call does a return belong to? A hash table from thread to its last call; threads are never
 * removed.
 */
#include "lin/format/scan.h"

#include <stdlib.h>

static struct pairing_slot *find(struct pairing *p, int64_t thread)
{
	size_t mask = p->capacity - 1, i = hash_mix(0x51ed270b, (uint64_t)thread) & mask;

	while (p->slots[i].op && p->slots[i].thread != thread)
		i = (i + 1) & mask;
	return &p->slots[i];
}

static void grow(struct pairing *p)
{
	struct pairing old = *p;

	p->capacity = old.capacity ? old.capacity * 2 : 64;
	p->slots = xcalloc(p->capacity, sizeof *p->slots);
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.slots[i].op)
			*find(p, old.slots[i].thread) = old.slots[i];
	}
	free(old.slots);
}

bool pairing_call(struct pairing *p, int64_t thread, size_t op)
{
	struct pairing_slot *slot;

	if (2 * p->used >= p->capacity)
		grow(p);
	slot = find(p, thread);
	if (slot->open)
		return false;
	p->used += !slot->op;
	*slot = (struct pairing_slot){ thread, op + 1, true };
	return true;
}

size_t pairing_return(struct pairing *p, int64_t thread)
{
	struct pairing_slot *slot = p->capacity ? find(p, thread) : NULL;

	if (!slot || !slot->open)
		return SIZE_MAX;
	slot->open = false;
	return slot->op - 1;
}

void pairing_free(struct pairing *p)
{
	free(p->slots);
}
