/* SPDX-License-Identifier: MIT
 *
 * A pool that gives up if its lock is taken; such failures are allowed.
 *
 * faulty: none
 */
#include "ordinary.h"

struct conn {
	int id;
};
static struct conn conns[2] = { { 1 }, { 2 } };
static int busy[2];
static pthread_mutex_t cl = PTHREAD_MUTEX_INITIALIZER;

struct conn *conn_try_take(void)
{
	struct conn *c = NULL;
	if (pthread_mutex_trylock(&cl))
		return NULL;
	for (int i = 0; i < 2 && !c; i++)
		if (!busy[i]) {
			busy[i] = 1;
			c = &conns[i];
		}
	pthread_mutex_unlock(&cl);
	return c;
}

void conn_return(struct conn *c)
{
	pthread_mutex_lock(&cl);
	busy[c - conns] = 0;
	pthread_mutex_unlock(&cl);
}

static void *one(void *arg)
{
	struct conn *c = conn_try_take();
	r[0] = c ? c->id : 0;
	if (c)
		conn_return(c);
	return arg;
}

static void *two(void *arg)
{
	struct conn *c = conn_try_take();
	r[1] = c ? c->id : 0;
	c = conn_try_take();
	r[2] = c ? c->id : 0;
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
