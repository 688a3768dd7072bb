/* SPDX-License-Identifier: MIT
 *
 * A value that is set once, and waited for. Who sets it first is told so.
 * With FAULTY set looks before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct promise {
	pthread_mutex_t lock;
	pthread_cond_t is_set;
	bool ready;
	int value;
};

static struct promise *p;

struct promise *promise_new(void)
{
	struct promise *new = calloc(1, sizeof *new);

	pthread_mutex_init(&new->lock, NULL);
	pthread_cond_init(&new->is_set, NULL);
	return new;
}

bool promise_set(struct promise *p, int value)
{
	bool first;

	IF_FAULTY(first = !p->ready;)
	pthread_mutex_lock(&p->lock);
	IF_CORRECT(first = !p->ready;)
	if (first) {
		p->ready = true;
		p->value = value;
		pthread_cond_broadcast(&p->is_set);
	}
	pthread_mutex_unlock(&p->lock);
	return first;
}

int promise_get(struct promise *p)
{
	int value;

	pthread_mutex_lock(&p->lock);
	while (!p->ready)
		pthread_cond_wait(&p->is_set, &p->lock);
	value = p->value;
	pthread_mutex_unlock(&p->lock);
	return value;
}

static void *setter(void *value)
{
	r[(long)value] = promise_set(p, (int)(long)value);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	p = promise_new();
	pthread_create(&t[0], NULL, setter, (void *)5);
	pthread_create(&t[1], NULL, setter, (void *)6);
	r[0] = promise_get(p);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
