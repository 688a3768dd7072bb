/* SPDX-License-Identifier: MIT
 *
 * A hash table with a lock for each bucket; put returns the value before, 0 for none.
 * With FAULTY put unlocks while it allocates.
 *
 * faulty: found
 */
#include "ordinary.h"

#define B 2
struct entry {
	int k, v;
	struct entry *next;
};
struct hmap {
	struct entry *b[B];
	pthread_mutex_t l[B];
};
static struct hmap h = { .l = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER } };

int hmap_put(struct hmap *m, int k, int v)
{
	int i = k % B, old = 0;
	struct entry *e;
	pthread_mutex_lock(&m->l[i]);
	for (e = m->b[i]; e; e = e->next)
		if (e->k == k) {
			old = e->v;
			e->v = v;
			pthread_mutex_unlock(&m->l[i]);
			return old;
		}
	IF_FAULTY(pthread_mutex_unlock(&m->l[i]);)
	e = malloc(sizeof *e);
	e->k = k;
	e->v = v;
	IF_FAULTY(pthread_mutex_lock(&m->l[i]);)
	e->next = m->b[i];
	m->b[i] = e;
	pthread_mutex_unlock(&m->l[i]);
	return 0;
}

int hmap_get(struct hmap *m, int k)
{
	int v = 0, i = k % B;
	pthread_mutex_lock(&m->l[i]);
	for (struct entry *e = m->b[i]; e; e = e->next)
		if (e->k == k) {
			v = e->v;
			break;
		}
	pthread_mutex_unlock(&m->l[i]);
	return v;
}

static void *one(void *arg)
{
	r[0] = hmap_put(&h, 1, 10);
	r[1] = hmap_get(&h, 1);
	r[4] = hmap_get(&h, 2);
	return arg;
}

static void *two(void *arg)
{
	r[2] = hmap_put(&h, 1, 20);
	r[3] = hmap_put(&h, 2, 5);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
