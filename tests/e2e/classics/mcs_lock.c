/* SPDX-License-Identifier: MIT
 *
 * The queue lock of Mellor-Crummey and Scott. WRONG: who has no successor yet takes that for an empty queue.
 */
#include "threads.h"

struct node {
	_Atomic(struct node *) next;
	atomic_int waits;
};

static _Atomic(struct node *) tail;
static int inside;

static void lock(struct node *me)
{
	struct node *before;

	atomic_store(&me->next, NULL);
	before = atomic_exchange(&tail, me);
	if (!before)
		return;
	atomic_store(&me->waits, 1);
	atomic_store(&before->next, me);
	while (atomic_load(&me->waits))
		;
}

static void unlock(struct node *me)
{
	struct node *last = me;

#ifdef WRONG
	if (!atomic_load(&me->next)) {
		atomic_store(&tail, NULL);
		return;
	}
	(void)last;
#else
	if (!atomic_load(&me->next)) {
		if (atomic_compare_exchange_strong(&tail, &last, NULL))
			return;
		while (!atomic_load(&me->next))
			;
	}
#endif
	atomic_store(&atomic_load(&me->next)->waits, 0);
}

static void *work(void *arg)
{
	static struct node nodes[2];
	struct node *me = &nodes[(intptr_t)arg];

	lock(me);
	assert(inside++ == 0);
	inside--;
	unlock(me);
	return NULL;
}

int main(void)
{
	run_threads(2, work);
	return 0;
}
