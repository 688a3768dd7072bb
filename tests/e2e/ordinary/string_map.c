/* SPDX-License-Identifier: MIT
 *
 * A map with names as keys; 1 and 0, and ENOENT, are results.
 * With FAULTY set unlocks between finding and inserting.
 *
 * faulty: found
 */
#include "ordinary.h"

struct pair {
	char key[8];
	int val;
	bool set;
};
struct dict {
	struct pair p[4];
	pthread_mutex_t m;
};
static struct dict dict = { .m = PTHREAD_MUTEX_INITIALIZER };

static struct pair *find(struct dict *d, const char *k)
{
	for (int i = 0; i < 4; i++)
		if (d->p[i].set && !strcmp(d->p[i].key, k))
			return &d->p[i];
	return NULL;
}

int dict_set(struct dict *d, const char *k, int v)
{
	int rc = 0;
	pthread_mutex_lock(&d->m);
	struct pair *p = find(d, k);
	IF_FAULTY(pthread_mutex_unlock(&d->m); pthread_mutex_lock(&d->m);)
	if (!p) {
		for (int i = 0; i < 4 && !p; i++)
			if (!d->p[i].set)
				p = &d->p[i];
		strcpy(p->key, k);
		p->set = true;
		rc = 1;
	}
	p->val = v;
	pthread_mutex_unlock(&d->m);
	return rc;
}

int dict_get(struct dict *d, const char *k, int *out)
{
	pthread_mutex_lock(&d->m);
	struct pair *p = find(d, k);
	if (p)
		*out = p->val;
	pthread_mutex_unlock(&d->m);
	return p ? 1 : 0;
}

int dict_delete(struct dict *d, const char *k)
{
	pthread_mutex_lock(&d->m);
	struct pair *p = find(d, k);
	if (p)
		p->set = false;
	pthread_mutex_unlock(&d->m);
	return p ? 0 : ENOENT;
}

static void *one(void *arg)
{
	int v = 0;
	r[0] = dict_set(&dict, "k", 1);
	r[1] = dict_get(&dict, "k", &v);
	r[2] = v;
	return arg;
}

static void *two(void *arg)
{
	r[3] = dict_set(&dict, "k", 2);
	r[4] = dict_delete(&dict, "k");
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
