/* SPDX-License-Identifier: MIT
 *
 * Two counters; inc returns the old value, dec the new one.
 * With FAULTY inc reads before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct ctr {
	int v;
	pthread_mutex_t m;
};
static struct ctr a = { 0, PTHREAD_MUTEX_INITIALIZER }, b = { 7, PTHREAD_MUTEX_INITIALIZER };

int ctr_inc(struct ctr *c)
{
	IF_FAULTY(int v = c->v;) pthread_mutex_lock(&c->m);
	IF_CORRECT(int v = c->v;) c->v = v + 1;
	pthread_mutex_unlock(&c->m);
	return v;
}

int ctr_dec(struct ctr *c)
{
	pthread_mutex_lock(&c->m);
	int v = --c->v;
	pthread_mutex_unlock(&c->m);
	return v;
}

static void *one(void *arg)
{
	r[0] = ctr_inc(&a);
	r[1] = ctr_dec(&b);
	r[2] = ctr_inc(&b);
	return arg;
}

static void *two(void *arg)
{
	r[3] = ctr_inc(&a);
	r[4] = ctr_inc(&b);
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
