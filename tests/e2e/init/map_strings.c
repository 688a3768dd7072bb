/* SPDX-License-Identifier: MIT
 *
 * wants: object map
 * wants: op put(key, value) : map_put(this, key, value)
 * wants: op get(key) -> ret if ret != -1 else empty : map_get(this, key)
 * wants: op erase(key) -> bool : map_remove(this, key)
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include <string.h>

struct map {
	pthread_mutex_t lock;
	const char *keys[4];
	int values[4];
};

static struct map map = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int find(struct map *m, const char *key)
{
	for (int i = 0; i < 4; i++)
		if (m->keys[i] && !strcmp(m->keys[i], key))
			return i;
	return -1;
}

void map_put(struct map *m, const char *key, int value)
{
	int i;

	pthread_mutex_lock(&m->lock);
	i = find(m, key);
	for (int k = 0; i < 0; k++)
		if (!m->keys[k])
			i = k;
	m->keys[i] = key;
	m->values[i] = value;
	pthread_mutex_unlock(&m->lock);
}

int map_get(struct map *m, const char *key)
{
	int i, value;

	pthread_mutex_lock(&m->lock);
	i = find(m, key);
	if (i < 0) {
		pthread_mutex_unlock(&m->lock);
		return -1;
	}
	value = m->values[i];
	pthread_mutex_unlock(&m->lock);
	return value;
}

bool map_remove(struct map *m, const char *key)
{
	int i;

	pthread_mutex_lock(&m->lock);
	i = find(m, key);
	if (i >= 0)
		m->keys[i] = NULL;
	pthread_mutex_unlock(&m->lock);
	return i >= 0;
}

static volatile long sink;

static void *first(void *unused)
{
	map_put(&map, "a", 1);
	return unused;
}

static void *second(void *unused)
{
	sink = map_get(&map, "a");
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = map_remove(&map, "b");
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
