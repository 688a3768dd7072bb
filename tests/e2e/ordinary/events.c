/* SPDX-License-Identifier: MIT
 *
 * Bits that are set, and polled all at once.
 * With FAULTY send unlocks between reading and writing.
 *
 * faulty: found
 */
#include "ordinary.h"

struct events {
	uint32_t set;
	pthread_mutex_t m;
};
static struct events ev = { 0, PTHREAD_MUTEX_INITIALIZER };

uint32_t events_send(struct events *e, uint32_t bits)
{
	pthread_mutex_lock(&e->m);
	uint32_t o = e->set;
	IF_FAULTY(pthread_mutex_unlock(&e->m); pthread_mutex_lock(&e->m);) e->set = o | bits;
	pthread_mutex_unlock(&e->m);
	return o;
}

uint32_t events_poll(struct events *e)
{
	pthread_mutex_lock(&e->m);
	uint32_t o = e->set;
	e->set = 0;
	pthread_mutex_unlock(&e->m);
	return o;
}

static void *one(void *arg)
{
	r[0] = events_send(&ev, 1);
	r[1] = events_poll(&ev);
	return arg;
}

static void *two(void *arg)
{
	r[2] = events_send(&ev, 2);
	r[3] = events_poll(&ev);
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
