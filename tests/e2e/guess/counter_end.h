/* SPDX-License-Identifier: MIT
 *
 * A counter with a part for each thread, and a client; part_end is the destructor of a part.
 */
#include <pthread.h>
#include <stdlib.h>

#define OP __attribute__((noinline))

struct part {
	int n;
	struct part *next;
};

struct counter {
	pthread_mutex_t lock;
	pthread_cond_t read;
	pthread_key_t key;
	struct part *parts;
	int ended, reads;
};

static struct counter counter = { .lock = PTHREAD_MUTEX_INITIALIZER, .read = PTHREAD_COND_INITIALIZER };

static void part_end(void *arg);

static void part_remove(const struct part *p)
{
	struct part **at;

	pthread_mutex_lock(&counter.lock);
	for (at = &counter.parts; *at != p; at = &(*at)->next)
		;
	*at = p->next;
	pthread_mutex_unlock(&counter.lock);
}

OP void counter_inc(struct counter *c)
{
	struct part *p = pthread_getspecific(c->key);

	pthread_mutex_lock(&c->lock);
	if (!p) {
		p = calloc(1, sizeof *p);
		pthread_setspecific(c->key, p);
		p->next = c->parts;
		c->parts = p;
	}
	p->n++;
	pthread_mutex_unlock(&c->lock);
}

OP int counter_read(struct counter *c)
{
	int sum;

	pthread_mutex_lock(&c->lock);
	sum = c->ended;
	for (struct part *p = c->parts; p; p = p->next)
		sum += p->n;
	c->reads++;
	pthread_cond_broadcast(&c->read);
	pthread_mutex_unlock(&c->lock);
	return sum;
}

static void *count(void *arg)
{
	counter_inc(arg);
	return NULL;
}

static void *read_twice(void *arg)
{
	counter_read(arg);
	counter_read(arg);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_key_create(&counter.key, part_end);
	pthread_create(&a, NULL, count, &counter);
	pthread_create(&b, NULL, read_twice, &counter);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
