/* SPDX-License-Identifier: MIT
 *
 * A bounded queue of many producers and consumers, with a sequence number in each cell (Vyukov's). WRONG: a cell is
 * given away before it is filled.
 */
#include "threads.h"

#define SIZE 2

static struct cell {
	atomic_uint sequence;
	int value;
} cells[SIZE];
static atomic_uint head, tail;
static int got[2];

static int put(int value)
{
	unsigned at = atomic_load(&tail);
	struct cell *c = &cells[at % SIZE];

	if (atomic_load(&c->sequence) != at || !atomic_compare_exchange_strong(&tail, &at, at + 1))
		return 0;
#ifdef WRONG
	atomic_store(&c->sequence, at + 1);
	c->value = value;
#else
	c->value = value;
	atomic_store(&c->sequence, at + 1);
#endif
	return 1;
}

static int take(void)
{
	unsigned at = atomic_load(&head);
	struct cell *c = &cells[at % SIZE];
	int value;

	if (atomic_load(&c->sequence) != at + 1 || !atomic_compare_exchange_strong(&head, &at, at + 1))
		return 0;
	value = c->value;
	atomic_store(&c->sequence, at + SIZE);
	return value;
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;

	if (!put(me + 1))
		return NULL;
	got[me] = take();
	assert(got[me] == 0 || got[me] == 1 || got[me] == 2);
	return NULL;
}

static void *consume(void *unused)
{
	int value = take();

	assert(value == 0 || value == 7);
	return unused;
}

int main(void)
{
	pthread_t t;

	for (unsigned i = 0; i < SIZE; i++)
		atomic_init(&cells[i].sequence, i), cells[i].value = -1;
	pthread_create(&t, NULL, consume, NULL);
	put(7);
	pthread_join(t, NULL);
	for (unsigned i = 0; i < SIZE; i++)
		cells[i].value = 0, atomic_store(&cells[i].sequence, i);
	atomic_store(&head, 0);
	atomic_store(&tail, 0);
	run_threads(2, work);
	assert(!got[0] || got[0] != got[1]);
	return 0;
}
