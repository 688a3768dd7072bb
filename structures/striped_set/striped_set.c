/* SPDX-License-Identifier: MIT
 *
 * Striped hash set that grows: Herlihy and Shavit, "The Art of Multiprocessor Programming" (2008), section 13.2.2.
 * There are more buckets than locks; a lock protects every second bucket, and stays the same when the table grows.
 *
 * Why it is linearizable: all buckets of a key, in any table, have the same lock, and what an operation does it
 * does under it. Growing takes all locks.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_TABLE: the table is read before the lock is taken. If it has grown meanwhile, an operation goes to the
 * old one.
 *
 * FAULTY_GROW: growing takes only the first lock.
 *
 * Old tables are never freed. striped_set.expect refers to the marks (words after an at sign).
 */
#include "striped_set.h"

#include <pthread.h>
#include <stdlib.h>

#define LOCKS 2
#define MOST  8 /* buckets */

struct node {
	int key;
	struct node *next;
};

struct table {
	int size;
	struct node *bucket[MOST];
};

struct striped_set {
	pthread_mutex_t lock[LOCKS];
	struct table *table;
};

static struct table *table_new(int size)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		abort();
	table->size = size;
	return table;
}

struct striped_set *striped_set_create(void)
{
	struct striped_set *set = malloc(sizeof(*set));

	for (int i = 0; set && i < LOCKS; i++)
		pthread_mutex_init(&set->lock[i], NULL);
	if (set)
		set->table = table_new(LOCKS);
	return set;
}

static struct node **find(struct table *table, int key)
{
	struct node **at = &table->bucket[key % table->size];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static struct table *enter(struct striped_set *set, int key)
{
#ifdef FAULTY_TABLE
	struct table *table = set->table; /* @enter.table */

	pthread_mutex_lock(&set->lock[key % LOCKS]);
	return table;
#else
	pthread_mutex_lock(&set->lock[key % LOCKS]);
	return set->table;
#endif
}

static void leave(struct striped_set *set, int key)
{
	pthread_mutex_unlock(&set->lock[key % LOCKS]);
}

/* Makes the table twice as large, unless that was done. */
static void grow(struct striped_set *set, int size)
{
#ifdef FAULTY_GROW
	int locks = 1;
#else
	int locks = LOCKS;
#endif

	for (int i = 0; i < locks; i++)
		pthread_mutex_lock(&set->lock[i]);
	if (set->table->size == size) {
		struct table *old = set->table, *table = table_new(2 * size);

		for (int i = 0; i < size; i++)
			for (struct node *node = old->bucket[i], *next; node; node = next) { /* @grow.move */
				struct node **to = &table->bucket[node->key % table->size];

				next = node->next;
				node->next = *to;
				*to = node;
			}
		set->table = table; /* @grow.table */
	}
	for (int i = locks - 1; i >= 0; i--)
		pthread_mutex_unlock(&set->lock[i]);
}

bool striped_set_add(struct striped_set *set, int key)
{
	struct table *table = enter(set, key); /* @add.table */
	struct node **at = find(table, key), *node = NULL; /* @add.find */
	int size = table->size;
	bool absent = !*at, full = false;

	if (absent) {
		node = calloc(1, sizeof(*node));
		if (!node)
			abort();
		node->key = key;
		*at = node; /* @add.link */
		full = size < MOST && at != &table->bucket[key % size];
	}
	leave(set, key);
	if (full)
		grow(set, size);
	return absent;
}

bool striped_set_remove(struct striped_set *set, int key)
{
	struct node **at = find(enter(set, key), key); /* @remove.find */
	bool present = *at;

	if (present)
		*at = (*at)->next; /* @remove.unlink */
	leave(set, key);
	return present;
}

bool striped_set_contains(struct striped_set *set, int key)
{
	bool present = *find(enter(set, key), key);

	leave(set, key);
	return present;
}
