/* SPDX-License-Identifier: MIT
 *
 * A queue of one producer, whose part is expanded where it is used, and one consumer, who waits while there is nothing.
 * With FAULTY a node is linked before it has its value.
 *
 * faulty: limit
 */
#include "ordinary.h"

struct node {
	_Atomic(struct node *) next;
	int value;
};

static struct node nodes[3], *head = &nodes[0], *tail = &nodes[0];

static inline __attribute__((always_inline)) void put(struct node *n, int value)
{
#ifndef FAULTY
	n->value = value;
#endif
	atomic_store(&tail->next, n);
#ifdef FAULTY
	n->value = value;
#endif
	tail = n;
}

__attribute__((noinline)) static int take(void)
{
	struct node *next;

	while (!(next = atomic_load(&head->next)))
		;
	head = next;
	return next->value;
}

static void *producer(void *unused)
{
	put(&nodes[1], 5);
	put(&nodes[2], 6);
	return unused;
}

static void *consumer(void *unused)
{
	static volatile int got[2];

	got[0] = take();
	got[1] = take();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, consumer, NULL);
	pthread_create(&b, NULL, producer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
