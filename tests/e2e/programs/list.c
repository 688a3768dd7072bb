/* SPDX-License-Identifier: MIT
 *
 * A sorted list set without any synchronization but atomic links, so that updates get lost: one thread an argument, each
 * one operation: add:KEY, remove:KEY, contains:KEY. Key 1 is in the set at the start.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
	int key;
	struct node *next;
};

static struct node tail = { 1 << 30, NULL }, one = { 1, &tail }, head = { -1, &one };

static struct node *load(struct node **link)
{
	return __atomic_load_n(link, __ATOMIC_ACQUIRE);
}

static struct node *find(int key, struct node **before)
{
	struct node *prev = &head, *at = load(&head.next);

	while (at->key < key) {
		prev = at;
		at = load(&at->next);
	}
	*before = prev;
	return at;
}

static int add(int key)
{
	struct node *prev, *at = find(key, &prev), *node;

	if (at->key == key)
		return 0;
	node = malloc(sizeof *node);
	node->key = key;
	node->next = at;
	__atomic_store_n(&prev->next, node, __ATOMIC_RELEASE);
	return 1;
}

static int del(int key)
{
	struct node *prev, *at = find(key, &prev);

	if (at->key != key)
		return 0;
	__atomic_store_n(&prev->next, load(&at->next), __ATOMIC_RELEASE);
	return 1;
}

/* The operation is in the argument, so that the threads share the list and nothing else. */
static void *worker(void *argument)
{
	int key = (int)((uintptr_t)argument >> 8), operation = (int)((uintptr_t)argument & 0xff);
	struct node *before;

	if (operation == 'a') {
		linchpin_call(&head, "add", key);
		linchpin_return(add(key));
	} else if (operation == 'r') {
		linchpin_call(&head, "remove", key);
		linchpin_return(del(key));
	} else {
		linchpin_call(&head, "contains", key);
		linchpin_return(find(key, &before)->key == key);
	}
	return NULL;
}

static void *parse(const char *text)
{
	return (void *)((uintptr_t)atoi(strchr(text, ':') + 1) << 8 | (unsigned char)text[0]);
}

int main(int argc, char **argv)
{
	pthread_t threads[8];

	linchpin_object(&head, "set");
	linchpin_call(&head, "add", 1);
	linchpin_return(1);
	for (int i = 1; i < argc && i < 9; i++)
		pthread_create(&threads[i - 1], NULL, worker, parse(argv[i]));
	for (int i = 1; i < argc && i < 9; i++)
		pthread_join(threads[i - 1], NULL);
	return 0;
}
