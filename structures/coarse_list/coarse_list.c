/* SPDX-License-Identifier: MIT
 *
 * Coarse list set: a sorted singly linked list between two sentinels, under one reader-writer lock;
 * known in Java as RWLockCoarseGrainedListIntSet. It is one of the benchmarks of Çirisci, Enea,
 * Farzan and Mutluergil, "Root Causing Linearizability Violations" (CAV 2020), which made the
 * faulty variants by moving part of a critical section out of the lock.
 *
 * Why it is linearizable: add and remove run completely under the write lock, contains and size
 * under the read lock, so every operation takes effect at its unlock.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_ADD: add walks before it takes the lock. The key may go behind a node that has meanwhile
 * been removed, or in front of one that has meanwhile been passed.
 *
 * FAULTY_REMOVE: remove walks before it takes the lock, with the same results.
 *
 * FAULTY_SIZE: size reads the first link before it takes the lock, as the published original does.
 *
 * Nodes are never freed: the algorithm was written for a language with a garbage collector, and the
 * faulty variants would otherwise fail in another way than the published ones. coarse_list.expect
 * refers to the marks (words after an at sign).
 */
#include "coarse_list.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
	int key;
	struct node *next;
};

struct coarse_list {
	pthread_rwlock_t lock;
	struct node *head; /* its key is INT_MIN; the last node's is INT_MAX */
};

static struct node *node_new(int key, struct node *next)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		abort();
	node->key = key;
	node->next = next;
	return node;
}

struct coarse_list *coarse_list_create(void)
{
	struct coarse_list *list = malloc(sizeof(*list));

	if (!list)
		return NULL;
	if (pthread_rwlock_init(&list->lock, NULL)) {
		free(list);
		return NULL;
	}
	list->head = node_new(INT_MIN, node_new(INT_MAX, NULL));
	return list;
}

bool coarse_list_add(struct coarse_list *list, int key)
{
	struct node *pred;
	struct node *curr;

#ifndef FAULTY_ADD
	pthread_rwlock_wrlock(&list->lock);
#endif
	pred = list->head;
	curr = pred->next; /* @add.walk */
	while (curr->key < key) {
		pred = curr;
		curr = curr->next;
	}
#ifdef FAULTY_ADD
	pthread_rwlock_wrlock(&list->lock);
#endif
	if (curr->key == key) {
		pthread_rwlock_unlock(&list->lock);
		return false;
	}
	pred->next = node_new(key, curr); /* @add.write */
	pthread_rwlock_unlock(&list->lock);
	return true;
}

bool coarse_list_remove(struct coarse_list *list, int key)
{
	struct node *pred;
	struct node *curr;

#ifndef FAULTY_REMOVE
	pthread_rwlock_wrlock(&list->lock);
#endif
	pred = list->head;
	curr = pred->next; /* @remove.walk */
	while (curr->key < key) {
		pred = curr;
		curr = curr->next;
	}
#ifdef FAULTY_REMOVE
	pthread_rwlock_wrlock(&list->lock);
#endif
	if (curr->key != key) {
		pthread_rwlock_unlock(&list->lock);
		return false;
	}
	pred->next = curr->next; /* @remove.write */
	pthread_rwlock_unlock(&list->lock);
	return true;
}

bool coarse_list_contains(struct coarse_list *list, int key)
{
	const struct node *curr;
	bool found;

	pthread_rwlock_rdlock(&list->lock);
	curr = list->head->next;
	while (curr->key < key)
		curr = curr->next;
	found = curr->key == key;
	pthread_rwlock_unlock(&list->lock);
	return found;
}

int coarse_list_size(struct coarse_list *list)
{
	const struct node *curr;
	int size = 0;

#ifndef FAULTY_SIZE
	pthread_rwlock_rdlock(&list->lock);
#endif
	curr = list->head->next; /* @size.first */
#ifdef FAULTY_SIZE
	pthread_rwlock_rdlock(&list->lock);
#endif
	while (curr->key != INT_MAX) {
		size++;
		curr = curr->next; /* @size.next */
	}
	pthread_rwlock_unlock(&list->lock);
	return size;
}
