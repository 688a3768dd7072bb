/* SPDX-License-Identifier: MIT
 *
 * Lock-free list: Harris, "A Pragmatic Implementation of Non-Blocking Linked-Lists" (DISC 2001), in the form of
 * Michael (SPAA 2002), which unlinks one node at a time. The lowest bit of next marks the node as removed.
 *
 * Why it is linearizable: a node is in the set while its next has no mark. add takes effect when its
 * compare-and-swap links the node behind a pred without a mark, whose next is still curr: so the key is
 * absent then. remove takes effect when its compare-and-swap sets the mark, after which next never changes.
 * contains takes effect when it reads the mark of the node, or where it finds a greater key.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_MARK: remove does not mark the node, it only unlinks it. What is added behind it meanwhile is lost.
 *
 * FAULTY_ADD: add links its node by a plain write. What another thread links there meanwhile is lost.
 *
 * Nodes are never freed. harris_list.expect refers to the marks (words after an at sign).
 */
#include "harris_list.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
	int key;
	_Atomic uintptr_t next; /* and a mark */
};

struct harris_list {
	struct node head, tail;
};

static struct node *to_node(uintptr_t link)
{
	return (struct node *)(link & ~(uintptr_t)1);
}

struct harris_list *harris_list_create(void)
{
	struct harris_list *list = calloc(1, sizeof(*list));

	if (list) {
		list->head.key = INT_MIN;
		list->tail.key = INT_MAX;
		atomic_init(&list->head.next, (uintptr_t)&list->tail);
	}
	return list;
}

static bool swap(struct node *node, uintptr_t from, uintptr_t to)
{
	return atomic_compare_exchange_strong(&node->next, &from, to);
}

/* The first node with this key or a greater one, and the one before it; marked ones on the way are
 * unlinked. */
static struct node *find(struct harris_list *list, int key, struct node **pred)
{
	for (;;) {
		struct node *before = &list->head, *curr = to_node(before->next);

		for (;;) {
			uintptr_t next = curr->next;

			if (next & 1) {
				if (!swap(before, (uintptr_t)curr, next & ~(uintptr_t)1))
					break;
				curr = to_node(next);
				continue;
			}
			if (curr->key >= key) {
				*pred = before;
				return curr;
			}
			before = curr;
			curr = to_node(next);
		}
	}
}

bool harris_list_add(struct harris_list *list, int key)
{
	struct node *node = malloc(sizeof(*node)), *pred;

	if (!node)
		abort();
	node->key = key;
	for (;;) {
		struct node *curr = find(list, key, &pred); /* @add.find */

		if (curr->key == key)
			return false;
		node->next = (uintptr_t)curr;
#ifdef FAULTY_ADD
		pred->next = (uintptr_t)node; /* @add.link */
		return true;
#else
		if (swap(pred, (uintptr_t)curr, (uintptr_t)node)) /* @add.swap */
			return true;
#endif
	}
}

bool harris_list_remove(struct harris_list *list, int key)
{
	struct node *pred;

	for (;;) {
		struct node *curr = find(list, key, &pred); /* @remove.find */
		uintptr_t next;

		if (curr->key != key)
			return false;
		next = curr->next; /* @remove.next */
#ifdef FAULTY_MARK
		if (swap(pred, (uintptr_t)curr, next & ~(uintptr_t)1)) /* @remove.unlink */
			return true;
#else
		if ((next & 1) || !swap(curr, next, next | 1))
			continue;
		swap(pred, (uintptr_t)curr, next);
		return true;
#endif
	}
}

bool harris_list_contains(struct harris_list *list, int key)
{
	struct node *curr = to_node(list->head.next);

	while (curr->key < key)
		curr = to_node(curr->next);
	return curr->key == key && !(curr->next & 1);
}
