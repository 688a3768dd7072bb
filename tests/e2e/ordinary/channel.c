/* SPDX-License-Identifier: MIT
 *
 * A channel without a buffer: sender and receiver wait for each other. It has no sequential
 * behaviour.
 *
 * faulty: none
 */
#include "ordinary.h"

struct chan {
	int has, taken, v;
	pthread_mutex_t m;
	pthread_cond_t c;
};
static struct chan ch = { 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };

void chan_send(struct chan *x, int v)
{
	pthread_mutex_lock(&x->m);
	while (x->has)
		pthread_cond_wait(&x->c, &x->m);
	x->has = 1;
	x->taken = 0;
	x->v = v;
	pthread_cond_broadcast(&x->c);
	while (!x->taken)
		pthread_cond_wait(&x->c, &x->m);
	x->has = 0;
	pthread_cond_broadcast(&x->c);
	pthread_mutex_unlock(&x->m);
}

int chan_recv(struct chan *x)
{
	pthread_mutex_lock(&x->m);
	while (!x->has || x->taken)
		pthread_cond_wait(&x->c, &x->m);
	int v = x->v;
	x->taken = 1;
	pthread_cond_broadcast(&x->c);
	pthread_mutex_unlock(&x->m);
	return v;
}

static void *one(void *arg)
{
	chan_send(&ch, 5);
	chan_send(&ch, 6);
	return arg;
}

static void *two(void *arg)
{
	r[0] = chan_recv(&ch);
	r[1] = chan_recv(&ch);
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
