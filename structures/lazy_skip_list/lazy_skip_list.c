/* SPDX-License-Identifier: MIT
 *
 * Lazy skip list: Herlihy, Lev, Luchangco and Shavit, "A Simple Optimistic Skiplist Algorithm" (SIROCCO 2007), of two
 * levels. How high a node is follows from its key, so that executions can be repeated.
 *
 * Why it is linearizable: a key is in the set while its node is linked on all its levels (`linked`) and not
 * marked. add locks the nodes before the place on each level, and looks whether they are unmarked and still point
 * to those behind it; so nobody changes these links until it has set `linked`, where it takes effect. remove marks
 * under the node's own lock, where it takes effect, and then unlinks as add links. contains looks at both flags; if it
 * finds no node, the key was absent on the lowest level at some time while it ran.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_VALIDATE: updates do not look whether the nodes before the place are marked.
 *
 * Nodes are never freed. lazy_skip_list.expect refers to the marks (words after an at sign).
 */
#include "lazy_skip_list.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LEVELS 2

struct node {
	int key, top; /* the highest level */
	_Atomic bool marked, linked;
	_Atomic(struct node *) next[LEVELS];
	pthread_mutex_t lock;
};

struct lazy_skip_list {
	struct node *head;
};

/* Where a key is or belongs. */
struct place {
	struct node *pred[LEVELS], *succ[LEVELS];
	int found; /* the highest level on which its node is, or -1 */
};

static struct node *node_new(int key, int top)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node || pthread_mutex_init(&node->lock, NULL))
		abort();
	node->key = key;
	node->top = top;
	return node;
}

struct lazy_skip_list *lazy_skip_list_create(void)
{
	struct lazy_skip_list *list = malloc(sizeof(*list));
	struct node *tail = node_new(INT_MAX, LEVELS - 1);

	if (!list)
		return NULL;
	list->head = node_new(INT_MIN, LEVELS - 1);
	tail->linked = list->head->linked = true;
	for (int i = 0; i < LEVELS; i++)
		list->head->next[i] = tail;
	return list;
}

static struct place find(struct lazy_skip_list *list, int key)
{
	struct place p = { .found = -1 };
	struct node *pred = list->head;

	for (int i = LEVELS - 1; i >= 0; i--) {
		struct node *curr = pred->next[i];

		while (curr->key < key) {
			pred = curr;
			curr = pred->next[i];
		}
		if (p.found < 0 && curr->key == key)
			p.found = i;
		p.pred[i] = pred;
		p.succ[i] = curr;
	}
	return p;
}

static void unlock(struct place *p, int top)
{
	for (int i = 0; i <= top; i++)
		if (!i || p->pred[i] != p->pred[i - 1])
			pthread_mutex_unlock(&p->pred[i]->lock);
}

/* Locks the nodes before the place, up to this level, if they still point to what is behind it. */
static bool lock(struct place *p, int top, bool adding)
{
	bool valid = true;
	int i;

	for (i = 0; i <= top && valid; i++) {
		if (!i || p->pred[i] != p->pred[i - 1])
			pthread_mutex_lock(&p->pred[i]->lock);
		valid = p->pred[i]->next[i] == p->succ[i];
#ifndef FAULTY_VALIDATE
		valid = valid && !p->pred[i]->marked && !(adding && p->succ[i]->marked);
#endif
	}
	if (!valid)
		unlock(p, i - 1);
	return valid;
}

bool lazy_skip_list_add(struct lazy_skip_list *list, int key)
{
	int top = key & 1;

	for (;;) {
		struct place p = find(list, key); /* @add.find */
		struct node *node;

		if (p.found >= 0) {
			node = p.succ[p.found];
			if (node->marked)
				continue;
			while (!node->linked)
				sched_yield();
			return false;
		}
		if (!lock(&p, top, true))
			continue;
		node = node_new(key, top);
		for (int i = 0; i <= top; i++)
			node->next[i] = p.succ[i];
		for (int i = 0; i <= top; i++)
			p.pred[i]->next[i] = node; /* @add.link */
		node->linked = true;
		unlock(&p, top);
		return true;
	}
}

bool lazy_skip_list_remove(struct lazy_skip_list *list, int key)
{
	struct node *node = NULL;

	for (;;) {
		struct place p = find(list, key); /* @remove.find */

		if (!node) {
			if (p.found < 0)
				return false;
			node = p.succ[p.found];
			if (!node->linked || node->top != p.found)
				return false;
			pthread_mutex_lock(&node->lock);
			if (node->marked) {
				pthread_mutex_unlock(&node->lock);
				return false;
			}
			node->marked = true;
		}
		if (!lock(&p, node->top, false))
			continue;
		for (int i = node->top; i >= 0; i--)
			p.pred[i]->next[i] = node->next[i]; /* @remove.unlink */
		pthread_mutex_unlock(&node->lock);
		unlock(&p, node->top);
		return true;
	}
}

bool lazy_skip_list_contains(struct lazy_skip_list *list, int key)
{
	struct place p = find(list, key);

	return p.found >= 0 && p.succ[p.found]->linked && !p.succ[p.found]->marked;
}
