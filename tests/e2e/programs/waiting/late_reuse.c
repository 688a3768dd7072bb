/* SPDX-License-Identifier: MIT
 *
 * A stack whose push tries again until it succeeds, and whose pop frees a node of another thread. That blocks pass from thread to
 * thread is first seen while it is looked whether the loop of a push can be left.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

static struct node *_Atomic head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value)
{
	struct node *node = malloc(sizeof *node), *old = NULL, *seen;

	node->value = value;
	for (;;) {
		node->next = old;
		seen = old;
		if (atomic_compare_exchange_strong(&head, &seen, node))
			return;
		old = seen;
	}
}

static int pop(void)
{
	struct node *node;
	int value = 0;

	pthread_mutex_lock(&lock);
	for (;;) {
		node = atomic_load(&head);
		if (!node || atomic_compare_exchange_strong(&head, &node, node->next))
			break;
	}
	pthread_mutex_unlock(&lock);
	if (node)
		value = node->value;
	free(node);
	return value;
}

static void *pusher(void *arg)
{
	push(*(int *)arg);
	return NULL;
}

static void *both(void *arg)
{
	push(*(int *)arg);
	assert(pop());
	return NULL;
}

int main(void)
{
	int values[] = { 1, 2, 3 };
	pthread_t t[3];
	int sum = 0, value;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i == 2 ? both : pusher, &values[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	while ((value = pop()))
		sum += value;
	assert(sum >= 3 && sum <= 5);
	return 0;
}
