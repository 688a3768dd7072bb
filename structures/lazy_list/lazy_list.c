/* SPDX-License-Identifier: MIT
 *
 * Lazy list: Heller, Herlihy, Luchangco, Moir, Scherer and Shavit, "A Lazy Concurrent List-Based Set Algorithm"
 * (OPODIS 2005). Updates lock two nodes and look whether they are still neighbours in the list; contains takes
 * no lock.
 *
 * Why it is linearizable: a node is in the set while it is not marked. Of an update that has locked pred and
 * curr, neither is marked and pred points to curr: so both are in the list, and stay neighbours until the locks
 * are given back, as whoever changes that needs one of them. add takes effect when it links, remove when it marks.
 * contains takes effect when it reads the mark; or, if it stands on a greater key or on a marked node, at some
 * time while it ran, as nodes that it came through were in the list then.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_VALIDATE: updates look only whether pred points to curr, not at the marks.
 *
 * Nodes are never freed. lazy_list.expect refers to the marks (words after an at sign).
 */
#include "lazy_list.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int key;
	_Atomic bool marked;
	_Atomic(struct node *) next;
	pthread_mutex_t lock;
};

struct lazy_list {
	struct node *head;
};

static struct node *node_new(int key, struct node *next)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node || pthread_mutex_init(&node->lock, NULL))
		abort();
	node->key = key;
	atomic_init(&node->next, next);
	return node;
}

struct lazy_list *lazy_list_create(void)
{
	struct lazy_list *list = malloc(sizeof(*list));

	if (list)
		list->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
	return list;
}

static bool neighbours(struct node *pred, struct node *curr)
{
#ifdef FAULTY_VALIDATE
	return pred->next == curr;
#else
	return !pred->marked && !curr->marked && pred->next == curr;
#endif
}

/* Locks the node where the key is or belongs, and the one before it. */
static struct node *lock(struct lazy_list *list, int key, struct node **before)
{
	for (;;) {
		struct node *pred = list->head, *curr = pred->next; /* @lock.head */

		while (curr->key < key) {
			pred = curr;
			curr = curr->next; /* @lock.next */
		}
		pthread_mutex_lock(&pred->lock);
		pthread_mutex_lock(&curr->lock);
		*before = pred;
		if (neighbours(pred, curr))
			return curr;
		pthread_mutex_unlock(&curr->lock);
		pthread_mutex_unlock(&pred->lock);
	}
}

static void unlock(struct node *pred, struct node *curr)
{
	pthread_mutex_unlock(&curr->lock);
	pthread_mutex_unlock(&pred->lock);
}

bool lazy_list_add(struct lazy_list *list, int key)
{
	struct node *pred, *curr = lock(list, key, &pred); /* @add.lock */
	bool absent = curr->key != key;

	if (absent)
		pred->next = node_new(key, curr); /* @add.link */
	unlock(pred, curr);
	return absent;
}

bool lazy_list_remove(struct lazy_list *list, int key)
{
	struct node *pred, *curr = lock(list, key, &pred); /* @remove.lock */
	bool present = curr->key == key;

	if (present) {
		curr->marked = true;
		pred->next = curr->next; /* @remove.unlink */
	}
	unlock(pred, curr);
	return present;
}

bool lazy_list_contains(struct lazy_list *list, int key)
{
	struct node *curr = list->head;

	while (curr->key < key)
		curr = curr->next;
	return curr->key == key && !curr->marked;
}
