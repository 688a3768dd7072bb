/* SPDX-License-Identifier: MIT
 *
 * A cache on the heap that keeps the two keys used last; 0 is success, ENOENT none.
 * With FAULTY get unlocks between finding an entry and moving it.
 *
 * faulty: found
 */
#include "ordinary.h"

struct lru {
	int key[2], val[2], n;
	pthread_mutex_t mu;
};
static struct lru *cache;

static int slot(struct lru *c, int k)
{
	for (int i = 0; i < c->n; i++)
		if (c->key[i] == k)
			return i;
	return -1;
}

int lru_get(struct lru *c, int key, int *value)
{
	int rc = ENOENT;
	pthread_mutex_lock(&c->mu);
	int i = slot(c, key);
	if (i >= 0) {
		int v = c->val[i];
		IF_FAULTY(pthread_mutex_unlock(&c->mu); pthread_mutex_lock(&c->mu);)
		*value = v;
		if (i) {
			int k = c->key[0], w = c->val[0];
			c->key[0] = c->key[1];
			c->val[0] = c->val[1];
			c->key[1] = k;
			c->val[1] = w;
		}
		rc = 0;
	}
	pthread_mutex_unlock(&c->mu);
	return rc;
}

void lru_put(struct lru *c, int key, int value)
{
	pthread_mutex_lock(&c->mu);
	int i = slot(c, key);
	if (i < 0) {
		i = c->n < 2 ? c->n++ : 1;
	}
	c->key[i] = key;
	c->val[i] = value;
	pthread_mutex_unlock(&c->mu);
}

static void *one(void *arg)
{
	int v;
	r[0] = lru_get(cache, 2, &v);
	if (!r[0])
		r[1] = v;
	return arg;
}

static void *two(void *arg)
{
	int v;
	lru_put(cache, 3, 33);
	r[2] = lru_get(cache, 2, &v);
	if (!r[2])
		r[3] = v;
	r[4] = lru_get(cache, 1, &v);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	cache = calloc(1, sizeof *cache);
	pthread_mutex_init(&cache->mu, NULL);
	lru_put(cache, 1, 11);
	lru_put(cache, 2, 22);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
