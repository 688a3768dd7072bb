/* SPDX-License-Identifier: MIT
 *
 * A queue of one producer and one consumer that waits while it is empty. WRONG: a node is linked before it has its
 * value.
 */
#include "threads.h"

struct node {
	_Atomic(struct node *) next;
	int value;
};

static struct node nodes[3], *head = &nodes[0], *tail = &nodes[0];

static void put(struct node *n, int value)
{
#ifdef WRONG
	atomic_store(&tail->next, n);
	n->value = value;
#else
	n->value = value;
	atomic_store(&tail->next, n);
#endif
	tail = n;
}

static int take(void)
{
	struct node *next;

	while (!(next = atomic_load(&head->next)))
		;
	head = next;
	return next->value;
}

static void *work(void *arg)
{
	if (arg) {
		put(&nodes[1], 5);
		put(&nodes[2], 6);
	} else {
		assert(take() == 5);
		assert(take() == 6);
	}
	return NULL;
}

int main(void)
{
	run_threads(2, work);
	return 0;
}
