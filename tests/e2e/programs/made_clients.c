/* Small structures for clients that linchpin makes. Each has something that its specification file must say: how it is made,
 * in which memory, what waits, what only one thread calls, what each thread calls first and last, what is right in the end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- a ring of one producer and one consumer, in memory of the caller ---- */

struct ring {
	_Atomic unsigned head, tail;
	unsigned size;
	int place[8];
};

void ring_setup(struct ring *r, unsigned size)
{
	r->size = size;
}

bool ring_put(struct ring *r, int value)
{
	unsigned tail = r->tail;

	if (tail - r->head == r->size)
		return false;
	r->place[tail % r->size] = value;
	r->tail = tail + 1;
	return true;
}

bool ring_get(struct ring *r, int *value)
{
	unsigned head = r->head;

	if (head == r->tail)
		return false;
	*value = r->place[head % r->size];
	r->head = head + 1;
	return true;
}

/* ---- a queue of one place that waits ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool full;
static int item;

void box_put(int value)
{
	pthread_mutex_lock(&lock);
	while (full)
		pthread_cond_wait(&changed, &lock);
	item = value;
	full = true;
#ifdef FAULTY
	pthread_cond_signal(&changed); /* may wake another one that puts */
#else
	pthread_cond_broadcast(&changed);
#endif
	pthread_mutex_unlock(&lock);
}

int box_get(void)
{
	int value;

	pthread_mutex_lock(&lock);
	while (!full)
		pthread_cond_wait(&changed, &lock);
	value = item;
	full = false;
#ifdef FAULTY
	pthread_cond_signal(&changed);
#else
	pthread_cond_broadcast(&changed);
#endif
	pthread_mutex_unlock(&lock);
	return value;
}

/* ---- a counter of which threads have their shares ---- */

struct tally {
	atomic_int total, threads;
	int sum;
	pthread_mutex_t lock;
};

static _Thread_local bool entered;

struct tally *tally_new(void)
{
	struct tally *t = calloc(1, sizeof *t);

	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void tally_enter(void)
{
	entered = true;
}

void tally_leave(void)
{
	if (!entered)
		abort();
	entered = false;
}

void tally_inc(struct tally *t)
{
	if (!entered)
		abort();
	atomic_fetch_add(&t->total, 1);
#ifdef FAULTY
	t->sum++;
#else
	pthread_mutex_lock(&t->lock);
	t->sum++;
	pthread_mutex_unlock(&t->lock);
#endif
}

int tally_read(struct tally *t)
{
	return t->total;
}

bool tally_valid(struct tally *t)
{
	return t->sum == t->total;
}

/* ---- a map of pointers ---- */

struct cell {
	pthread_mutex_t lock;
	const void *volatile value[4];
};

struct cell *cell_create(void)
{
	struct cell *c = calloc(1, sizeof *c);

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

/* The value before. */
const void *cell_put(struct cell *c, const unsigned char *key, const void *value, int unused)
{
	const void *old;

	pthread_mutex_lock(&c->lock);
	old = c->value[*key];
	c->value[*key] = value;
	pthread_mutex_unlock(&c->lock);
	return old;
}

const void *cell_get(struct cell *c, const unsigned char *key)
{
	const void *value;

#ifndef FAULTY
	pthread_mutex_lock(&c->lock);
#endif
	value = c->value[*key];
#ifdef FAULTY
	if (c->value[*key] != value)
		value = NULL;
#else
	pthread_mutex_unlock(&c->lock);
#endif
	return value;
}
