/* SPDX-License-Identifier: MIT
 *
 * Sum, number and greatest of samples.
 * With FAULTY add unlocks half way.
 *
 * faulty: limit
 */
#include "ordinary.h"

struct stats {
	pthread_mutex_t m;
	long sum, count, max;
};
static struct stats s = { PTHREAD_MUTEX_INITIALIZER, 0, 0, LONG_MIN };

void stats_add(struct stats *t, long x)
{
	pthread_mutex_lock(&t->m);
	t->sum += x;
	IF_FAULTY(pthread_mutex_unlock(&t->m); pthread_mutex_lock(&t->m);)
	t->count++;
	if (x > t->max)
		t->max = x;
	pthread_mutex_unlock(&t->m);
}

long stats_mean(struct stats *t)
{
	pthread_mutex_lock(&t->m);
	long v = t->count ? t->sum / t->count : 0;
	pthread_mutex_unlock(&t->m);
	return v;
}

long stats_max(struct stats *t)
{
	pthread_mutex_lock(&t->m);
	long v = t->max;
	pthread_mutex_unlock(&t->m);
	return v;
}

static void *one(void *arg)
{
	stats_add(&s, 10);
	r[0] = stats_mean(&s);
	return arg;
}

static void *two(void *arg)
{
	stats_add(&s, 20);
	r[1] = stats_max(&s);
	r[2] = stats_mean(&s);
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
