/* SPDX-License-Identifier: MIT
 *
 * Optimistic list set with wait-free contains: a sorted singly linked list between two sentinels, a
 * lock per node, no mark bit; known in Java as OptimisticListSortedSetWaitFreeContains. The
 * algorithm is the optimistic list of Herlihy and Shavit, "The Art of Multiprocessor Programming",
 * with another contains. It is one of the benchmarks of Çirisci, Enea, Farzan and Mutluergil, "Root
 * Causing Linearizability Violations" (CAV 2020), which has the faulty variants.
 *
 * Why it is linearizable: an update finds its place without a lock, locks both nodes and walks
 * again (validate). If pred is reached and still points to curr, both are in the list, and stay
 * there, as removing either takes one of the two locks. contains may stand on a node that has been
 * removed; the links from there lead through what the list was when that node was removed, which is
 * after contains began, so its answer was true at some time while it ran.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_ADD: add validates before it takes the locks.
 *
 * FAULTY_REMOVE: remove validates before it takes the locks.
 *
 * Nodes are never freed: a walk may stand on one that has been removed, and the algorithm was
 * written for a language with a garbage collector. Links are atomic, as the walks read them without
 * a lock (volatile in Java); keys never change. optimistic_list.expect refers to the marks (words
 * after an at sign).
 */
#include "optimistic_list.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int key;
	_Atomic(struct node *) next;
	pthread_mutex_t lock;
};

struct optimistic_list {
	struct node *head; /* its key is INT_MIN; the last node's is INT_MAX */
};

static struct node *node_new(int key, struct node *next)
{
	struct node *node = malloc(sizeof(*node));

	if (!node || pthread_mutex_init(&node->lock, NULL))
		abort();
	node->key = key;
	atomic_init(&node->next, next);
	return node;
}

struct optimistic_list *optimistic_list_create(void)
{
	struct optimistic_list *list = malloc(sizeof(*list));

	if (list)
		list->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
	return list;
}

/* Where a key is or belongs: pred is the last node with a smaller key. */
struct place {
	struct node *pred, *curr;
};

static struct place find(struct optimistic_list *list, int key)
{
	struct place p = { list->head, list->head->next };

	while (p.curr->key < key) {
		p.pred = p.curr;
		p.curr = p.curr->next;
	}
	return p;
}

static void lock_both(struct place p)
{
	pthread_mutex_lock(&p.pred->lock);
	pthread_mutex_lock(&p.curr->lock);
}

static void unlock_both(struct place p)
{
	pthread_mutex_unlock(&p.curr->lock);
	pthread_mutex_unlock(&p.pred->lock);
}

/* Is pred in the list, with curr behind it? */
static bool validate(struct optimistic_list *list, struct place p)
{
	struct node *node = list->head;

	while (node->key <= p.pred->key) {
		if (node == p.pred)
			return node->next == p.curr;
		node = node->next;
	}
	return false;
}

bool optimistic_list_add(struct optimistic_list *list, int key)
{
	struct place p;
	bool valid, added;

	do {
		p = find(list, key);
#ifdef FAULTY_ADD
		valid = validate(list, p); /* @add.validate */
		lock_both(p);
#else
		lock_both(p);
		valid = validate(list, p);
#endif
		added = valid && p.curr->key != key;
		if (added)
			p.pred->next = node_new(key, p.curr); /* @add.write */
		unlock_both(p);
	} while (!valid);
	return added;
}

bool optimistic_list_remove(struct optimistic_list *list, int key)
{
	struct place p;
	bool valid, removed;

	do {
		p = find(list, key);
#ifdef FAULTY_REMOVE
		valid = validate(list, p); /* @remove.validate */
		lock_both(p);
#else
		lock_both(p);
		valid = validate(list, p);
#endif
		removed = valid && p.curr->key == key;
		if (removed)
			p.pred->next = p.curr->next; /* @remove.write */
		unlock_both(p);
	} while (!valid);
	return removed;
}

bool optimistic_list_contains(struct optimistic_list *list, int key)
{
	struct node *curr = list->head->next;

	while (curr->key < key)
		curr = curr->next;
	return curr->key == key;
}
