/* SPDX-License-Identifier: MIT
 *
 * Hash map with one lock; one of the benchmarks of Çirisci, "Formal Verification of Concurrent Data Structures"
 * (Paris 2022), chapter on partial-order reduction.
 *
 * Why it is linearizable: every operation is one critical section.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_ABSENT: put_if_absent looks in one critical section and puts in another one, as callers do who compose
 * it of get and put (Shacham et al., "Testing Atomicity of Composed Concurrent Operations", OOPSLA 2011).
 *
 * FAULTY_GET: get takes no lock, and may read the value of an entry that is erased and used for another key.
 *
 * locked_map.expect refers to the marks (words after an at sign).
 */
#include "locked_map.h"

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 2

struct entry {
	int key, value;
	struct entry *next;
};

struct locked_map {
	pthread_mutex_t lock;
	struct entry *bucket[BUCKETS], *unused;
};

struct locked_map *locked_map_create(void)
{
	struct locked_map *map = calloc(1, sizeof(*map));

	if (map)
		pthread_mutex_init(&map->lock, NULL);
	return map;
}

static struct entry **find(struct locked_map *map, int key)
{
	struct entry **at = &map->bucket[key % BUCKETS];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static void add(struct locked_map *map, struct entry **at, int key, int value)
{
	struct entry *entry = map->unused;

	if (entry)
		map->unused = entry->next;
	else
		entry = malloc(sizeof(*entry));
	if (!entry)
		abort();
	entry->key = key;
	entry->value = value;
	entry->next = NULL;
	*at = entry;
}

bool locked_map_put(struct locked_map *map, int key, int value, int *old)
{
	struct entry **at;
	bool found;

	pthread_mutex_lock(&map->lock);
	at = find(map, key);
	found = *at;
	if (found) {
		*old = (*at)->value;
		(*at)->value = value;
	} else {
		add(map, at, key, value);
	}
	pthread_mutex_unlock(&map->lock);
	return found;
}

bool locked_map_put_if_absent(struct locked_map *map, int key, int value, int *old)
{
#ifdef FAULTY_ABSENT
	if (locked_map_get(map, key, old)) /* @absent.get */
		return true;
	locked_map_put(map, key, value, old); /* @absent.put */
	return false;
#else
	struct entry **at;
	bool found;

	pthread_mutex_lock(&map->lock);
	at = find(map, key);
	found = *at;
	if (found)
		*old = (*at)->value;
	else
		add(map, at, key, value);
	pthread_mutex_unlock(&map->lock);
	return found;
#endif
}

bool locked_map_get(struct locked_map *map, int key, int *value)
{
	struct entry *entry;

#ifdef FAULTY_GET
	entry = *find(map, key); /* @get.find */
	if (entry)
		*value = entry->value; /* @get.value */
#else
	pthread_mutex_lock(&map->lock);
	entry = *find(map, key);
	if (entry)
		*value = entry->value;
	pthread_mutex_unlock(&map->lock);
#endif
	return entry;
}

bool locked_map_erase(struct locked_map *map, int key)
{
	struct entry **at, *entry;

	pthread_mutex_lock(&map->lock);
	at = find(map, key);
	entry = *at;
	if (entry) {
		*at = entry->next;
		entry->next = map->unused;
		map->unused = entry;
	}
	pthread_mutex_unlock(&map->lock);
	return entry;
}
