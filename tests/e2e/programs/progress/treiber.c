/* SPDX-License-Identifier: MIT
 *
 * Treiber's stack; nodes are not given back. Lock-free, but not wait-free.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
	struct node *next;
	int value;
};

static _Atomic(struct node *) top;
static struct node nodes[8];

static void push(struct node *n, int value)
{
	struct node *old;

	linchpin_call(&top, "push", value);
	n->value = value;
	old = atomic_load(&top);
	do
		n->next = old;
	while (!atomic_compare_exchange_strong(&top, &old, n));
	linchpin_return_void();
}

static void pop(void)
{
	struct node *old;

	linchpin_call(&top, "pop");
	old = atomic_load(&top);
	while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
		;
	if (old)
		linchpin_return(old->value);
	else
		linchpin_return_empty();
}

static void *work(void *arg)
{
	push(&nodes[*(int *)arg], *(int *)arg);
	pop();
	return NULL;
}

int main(void)
{
	static int ids[2] = { 1, 2 };
	pthread_t t[2];

	linchpin_object(&top, "stack");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
