/* SPDX-License-Identifier: MIT
 *
 * A cache of two entries that drops the one that was not used for the longest time, behind a reader-writer lock.
 *
 * Why it is linearizable: put and get are one critical section each, and both change the order of entries, so
 * both lock for writing.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_READ: get locks for reading, though it makes its entry the first one. That is a usual mistake: it only
 * looks as if get read; two of them may work on the order at once.
 *
 * lru_cache.expect refers to the marks (words after an at sign).
 */
#include "lru_cache.h"

#include <pthread.h>
#include <stdlib.h>

#define ENTRIES 2

struct lru_cache {
	pthread_rwlock_t lock;
	struct entry {
		int key, value; /* key 0: none */
	} entry[ENTRIES];
	int order[ENTRIES]; /* entries, that used last first */
};

struct lru_cache *lru_cache_create(void)
{
	struct lru_cache *cache = calloc(1, sizeof(*cache));

	if (cache)
		pthread_rwlock_init(&cache->lock, NULL);
	for (int i = 0; cache && i < ENTRIES; i++)
		cache->order[i] = i;
	return cache;
}

/* The place in the order of the entry of this key; the last one if there is none. */
static int find(const struct lru_cache *cache, int key)
{
	int at = 0;

	while (at < ENTRIES - 1 && cache->entry[cache->order[at]].key != key)
		at++;
	return at;
}

/* Makes the entry at this place of the order the first one. */
static struct entry *use(struct lru_cache *cache, int at)
{
	int entry = cache->order[at]; /* @use.entry */

	for (; at > 0; at--)
		cache->order[at] = cache->order[at - 1]; /* @use.move */
	cache->order[0] = entry; /* @use.first */
	return &cache->entry[entry];
}

void lru_cache_put(struct lru_cache *cache, int key, int value)
{
	pthread_rwlock_wrlock(&cache->lock);
	*use(cache, find(cache, key)) = (struct entry){ key, value };
	pthread_rwlock_unlock(&cache->lock);
}

bool lru_cache_get(struct lru_cache *cache, int key, int *value)
{
	bool found;
	int at;

#ifdef FAULTY_READ
	pthread_rwlock_rdlock(&cache->lock);
#else
	pthread_rwlock_wrlock(&cache->lock);
#endif
	at = find(cache, key); /* @get.find */
	found = cache->entry[cache->order[at]].key == key;
	if (found)
		*value = use(cache, at)->value; /* @get.use */
	pthread_rwlock_unlock(&cache->lock);
	return found;
}
