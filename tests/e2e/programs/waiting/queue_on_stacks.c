/* SPDX-License-Identifier: MIT
 *
 * A queue lock (Mellor-Crummey and Scott) whose nodes are on the stacks of the threads: each waits
 * for a word on its own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
	_Atomic(struct node *) next;
	atomic_int waits;
};

static _Atomic(struct node *) tail;
static int count;

static void *worker(void *arg)
{
	struct node me = { 0 }, *before, *last = &me;

	atomic_store(&me.waits, 1);
	before = atomic_exchange(&tail, &me);
	if (before) {
		atomic_store(&before->next, &me);
		while (atomic_load(&me.waits))
			;
	}
	count++;
	if (!atomic_load(&me.next)) {
		if (atomic_compare_exchange_strong(&tail, &last, NULL))
			return arg;
		while (!atomic_load(&me.next))
			;
	}
	atomic_store(&atomic_load(&me.next)->waits, 0);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	return 0;
}
