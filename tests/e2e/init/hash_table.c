/* SPDX-License-Identifier: MIT
 *
 * wants: object map
 * wants: op insert(key, value) -> bool : hash_table_insert(this, key, value)
 * wants: op lookup(key) -> value if ret else empty : hash_table_lookup(this, key, value)
 * wants: op erase(key) -> bool : hash_table_delete(this, key)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct hash_table {
	int used[4], values[4];
};

static struct hash_table table;

int hash_table_insert(struct hash_table *ht, unsigned key, int value)
{
	if (ht->used[key % 4])
		return 0;
	ht->values[key % 4] = value;
	ht->used[key % 4] = 1;
	return 1;
}

int hash_table_lookup(struct hash_table *ht, unsigned key, int *value)
{
	if (!ht->used[key % 4])
		return 0;
	*value = ht->values[key % 4];
	return 1;
}

int hash_table_delete(struct hash_table *ht, unsigned key)
{
	if (!ht->used[key % 4])
		return 0;
	ht->used[key % 4] = 0;
	return 1;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = hash_table_insert(&table, 1, 5);
	return unused;
}

static void *second(void *unused)
{
	sink = hash_table_insert(&table, 1, 6);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = hash_table_delete(&table, 1);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
