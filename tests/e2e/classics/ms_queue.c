/* SPDX-License-Identifier: MIT
 *
 * The queue of Michael and Scott. WRONG: a value is taken without looking whether another one was there first.
 */
#include "threads.h"

struct node {
	_Atomic(struct node *) next;
	int value;
};

static struct node nodes[3];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];
static int got[2];

static void put(struct node *n, int value)
{
	struct node *last, *next;

	n->value = value;
	for (;;) {
		last = atomic_load(&tail);
		next = NULL;
		if (atomic_compare_exchange_strong(&last->next, &next, n))
			break;
		atomic_compare_exchange_strong(&tail, &last, next);
	}
	atomic_compare_exchange_strong(&tail, &last, n);
}

static int take(void)
{
	struct node *first, *last, *next;

	for (;;) {
		first = atomic_load(&head);
		last = atomic_load(&tail);
		next = atomic_load(&first->next);
		if (!next)
			return 0;
		if (first == last) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
#ifdef WRONG
		atomic_store(&head, next);
		return next->value;
#else
		if (atomic_compare_exchange_strong(&head, &first, next))
			return next->value;
#endif
	}
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;

	put(&nodes[me + 1], me + 1);
	got[me] = take();
	return NULL;
}

int main(void)
{
	run_threads(2, work);
	assert(got[0] + got[1] == 3 && got[0] != got[1] && got[0] && got[1]);
	return 0;
}
