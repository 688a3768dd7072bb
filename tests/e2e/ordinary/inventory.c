/* SPDX-License-Identifier: MIT
 *
 * Stocks of things; remove returns what is left or -1.
 * With FAULTY remove unlocks between looking and taking.
 *
 * faulty: found
 */
#include "ordinary.h"

struct inv {
	int stock[2];
	pthread_mutex_t m;
};
static struct inv inv = { { 3, 1 }, PTHREAD_MUTEX_INITIALIZER };

int inv_remove(struct inv *v, int sku, int n)
{
	int left;
	pthread_mutex_lock(&v->m);
	IF_FAULTY(int have = v->stock[sku]; pthread_mutex_unlock(&v->m); pthread_mutex_lock(&v->m);)
	IF_CORRECT(int have = v->stock[sku];)
	if (have < n) {
		pthread_mutex_unlock(&v->m);
		return -1;
	}
	left = v->stock[sku] = have - n;
	pthread_mutex_unlock(&v->m);
	return left;
}

int inv_add(struct inv *v, int sku, int n)
{
	pthread_mutex_lock(&v->m);
	int now = v->stock[sku] += n;
	pthread_mutex_unlock(&v->m);
	return now;
}

int inv_total(struct inv *v)
{
	pthread_mutex_lock(&v->m);
	int t = v->stock[0] + v->stock[1];
	pthread_mutex_unlock(&v->m);
	return t;
}

static void *one(void *arg)
{
	r[0] = inv_remove(&inv, 0, 2);
	r[1] = inv_total(&inv);
	return arg;
}

static void *two(void *arg)
{
	r[2] = inv_remove(&inv, 0, 2);
	r[3] = inv_add(&inv, 1, 5);
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
