/* SPDX-License-Identifier: MIT
 *
 * A cache whose entries grow old by the clock.
 * With FAULTY store unlocks between the key and the value.
 *
 * faulty: found
 */
#include "ordinary.h"

struct ent {
	int k, v;
	time_t at;
};
struct tcache {
	struct ent e[2];
	pthread_mutex_t m;
};
static struct tcache tc = { .m = PTHREAD_MUTEX_INITIALIZER };

void tcache_store(struct tcache *c, int k, int v)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&c->m);
	c->e[k % 2].k = k;
	IF_FAULTY(pthread_mutex_unlock(&c->m); pthread_mutex_lock(&c->m);)
	c->e[k % 2].v = v;
	c->e[k % 2].at = now.tv_sec;
	pthread_mutex_unlock(&c->m);
}

int tcache_lookup(struct tcache *c, int k)
{
	struct timespec now;
	int v = -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&c->m);
	if (c->e[k % 2].k == k && now.tv_sec - c->e[k % 2].at < 60)
		v = c->e[k % 2].v;
	pthread_mutex_unlock(&c->m);
	return v;
}

static void *one(void *arg)
{
	tcache_store(&tc, 1, 10);
	r[0] = tcache_lookup(&tc, 1);
	return arg;
}

static void *two(void *arg)
{
	tcache_store(&tc, 3, 30);
	r[1] = tcache_lookup(&tc, 1);
	r[2] = tcache_lookup(&tc, 3);
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
