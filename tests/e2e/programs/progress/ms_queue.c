/* SPDX-License-Identifier: MIT
 *
 * The queue of Michael and Scott; nodes are not given back. Lock-free, because whoever finds the
 * tail behind moves it on. With -DUNHELPED each enqueuer moves it itself, and the others wait.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
	_Atomic(struct node *) next;
	int value;
};

static struct node nodes[8];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

static void enqueue(struct node *n, int value)
{
	struct node *last, *next;

	linchpin_call(&head, "enqueue", value);
	n->value = value;
	for (;;) {
		last = atomic_load(&tail);
		next = atomic_load(&last->next);
		if (next) {
#ifndef UNHELPED
			atomic_compare_exchange_strong(&tail, &last, next);
#endif
			continue;
		}
		if (atomic_compare_exchange_strong(&last->next, &next, n))
			break;
	}
	atomic_compare_exchange_strong(&tail, &last, n); /* stalled here */
	linchpin_return_void();
}

static void dequeue(void)
{
	struct node *first, *next;

	linchpin_call(&head, "dequeue");
	do {
		first = atomic_load(&head);
		next = atomic_load(&first->next);
	} while (next && !atomic_compare_exchange_strong(&head, &first, next));
	if (next)
		linchpin_return(next->value);
	else
		linchpin_return_empty();
}

static void *work(void *arg)
{
	int id = *(int *)arg;

	enqueue(&nodes[id], id);
	if (id == 1)
		dequeue();
	return NULL;
}

int main(void)
{
	static int ids[2] = { 1, 2 };
	pthread_t t[2];

	linchpin_object(&head, "queue");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
