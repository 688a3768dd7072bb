/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit's hash table, of which most is in its library: one thread may write while others
 * read.
 */
#include <ck_ht.h>
#include <stdint.h>
#include <stdlib.h>

#include "ck_allocator.h"
#include "client.h"

static ck_ht_t table;

/* All keys are in one bucket. */
static void hash_of(ck_ht_hash_t *h, const void *key, size_t length, uint64_t seed)
{
	(void)key, (void)length;
	h->value = seed;
}

static void *create(void)
{
	bool ok = ck_ht_init(&table, CK_HT_MODE_DIRECT | CK_HT_WORKLOAD_DELETE, hash_of, &allocator,
			     8, 0);

	return ok ? &table : NULL;
}

/* The key, and its value, which is the key with a bit set. */
static ck_ht_hash_t entry_of(ck_ht_entry_t *entry, int key)
{
	ck_ht_hash_t h;

	ck_ht_hash_direct(&h, &table, (uintptr_t)key);
	ck_ht_entry_set_direct(entry, h, (uintptr_t)key, (uintptr_t)key | 0x100);
	return h;
}

static struct client_result insert(void *object, int key)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t h = entry_of(&entry, key);

	return client_bool(ck_ht_put_spmc(object, h, &entry));
}

static struct client_result erase(void *object, int key)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t h = entry_of(&entry, key);

	return client_bool(ck_ht_remove_spmc(object, h, &entry));
}

/* A value that does not belong to the key is an error of the table. */
static struct client_result contains(void *object, int key)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t h = entry_of(&entry, key);

	if (!ck_ht_get_spmc(object, h, &entry))
		return client_bool(false);
	if (ck_ht_entry_value_direct(&entry) != ((uintptr_t)key | 0x100))
		abort();
	return client_bool(true);
}

CLIENT_MAIN("set", create, CLIENT_SET(insert, erase, contains))
