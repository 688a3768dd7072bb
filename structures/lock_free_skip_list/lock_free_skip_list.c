/* SPDX-License-Identifier: MIT
 *
 * Lock-free skip list: Fraser, "Practical Lock-Freedom" (thesis, Cambridge 2004), in the form of Herlihy and Shavit,
 * "The Art of Multiprocessor Programming" (2008), 14.4, of two levels. How high a node is follows from its key, so
 * that executions can be repeated. The lowest bit of next marks the node as removed from that level.
 *
 * Why it is linearizable: a key is in the set while its node is linked on the lowest level without a mark there. add
 * takes effect when its compare-and-swap links the node on the lowest level, behind a pred without a mark whose next
 * is still the first greater node; the level above is only a shortcut. remove marks from above, and takes effect when it
 * sets the lowest mark; only one thread can set it, and that one returns true. A node that has it is marked on all levels, so who
 * meets it unlinks or passes it. contains takes effect when it reads the lowest link of the node, or where it finds a
 * greater key.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_WIN: remove returns true when the node is marked, whoever has marked it.
 *
 * FAULTY_SEARCH: when add has failed to link its node, it tries again behind the same pred without a new search.
 *
 * Nodes are never freed. lock_free_skip_list.expect refers to the marks (words after an at sign).
 */
#include "lock_free_skip_list.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define LEVELS 2

struct node {
	int key, top; /* the highest level */
	_Atomic uintptr_t next[LEVELS]; /* each with a mark */
};

struct lock_free_skip_list {
	struct node head, tail;
};

/* The nodes around a key on each level. */
struct place {
	struct node *pred[LEVELS], *succ[LEVELS];
};

static struct node *to_node(uintptr_t link)
{
	return (struct node *)(link & ~(uintptr_t)1);
}

struct lock_free_skip_list *lock_free_skip_list_create(void)
{
	struct lock_free_skip_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	list->head.key = INT_MIN;
	list->tail.key = INT_MAX;
	for (int i = 0; i < LEVELS; i++)
		atomic_init(&list->head.next[i], (uintptr_t)&list->tail);
	return list;
}

static bool swap(struct node *node, int level, uintptr_t from, uintptr_t to)
{
	return atomic_compare_exchange_strong(&node->next[level], &from, to);
}

/* Goes along a level to the key; false if somebody has changed what a marked node was to be unlinked from. */
static bool walk(struct place *p, int level, struct node *pred, int key)
{
	struct node *curr = to_node(pred->next[level]);

	for (;;) {
		uintptr_t next = curr->next[level];

		if (next & 1) {
			if (!swap(pred, level, (uintptr_t)curr, next & ~(uintptr_t)1))
				return false;
			curr = to_node(next);
			continue;
		}
		if (curr->key >= key) {
			p->pred[level] = pred;
			p->succ[level] = curr;
			return true;
		}
		pred = curr;
		curr = to_node(next);
	}
}

static struct place find(struct lock_free_skip_list *list, int key)
{
	struct place p;
	int level = LEVELS - 1;

	while (level >= 0) {
		struct node *from = level == LEVELS - 1 ? &list->head : p.pred[level + 1];

		level = walk(&p, level, from, key) ? level - 1 : LEVELS - 1;
	}
	return p;
}

/* Links a node on the levels above, unless it is removed meanwhile. */
static void link_above(struct lock_free_skip_list *list, struct node *node, struct place p)
{
	for (int i = 1; i <= node->top; i++) {
		for (;;) {
			uintptr_t next = node->next[i];

			if ((next & 1) || !swap(node, i, next, (uintptr_t)p.succ[i]))
				return;
			if (swap(p.pred[i], i, (uintptr_t)p.succ[i], (uintptr_t)node))
				break;
			p = find(list, node->key);
			if (p.succ[0] != node)
				return;
		}
	}
}

bool lock_free_skip_list_add(struct lock_free_skip_list *list, int key)
{
	struct node *node = calloc(1, sizeof(*node));
	struct place p;
#ifdef FAULTY_SEARCH
	bool again = false;
#endif

	if (!node)
		abort();
	node->key = key;
	node->top = key & 1;
	for (;;) {
#ifdef FAULTY_SEARCH
		if (again)
			p.succ[0] = to_node(p.pred[0]->next[0]); /* @add.again */
		else
			p = find(list, key); /* @add.find */
		again = true;
#else
		p = find(list, key);
#endif
		if (p.succ[0]->key == key)
			return false;
		for (int i = 0; i <= node->top; i++)
			node->next[i] = (uintptr_t)p.succ[i];
		if (swap(p.pred[0], 0, (uintptr_t)p.succ[0], (uintptr_t)node)) /* @add.swap */
			break;
	}
	link_above(list, node, p);
	return true;
}

/* Marks the node on a level; false if another thread has. */
static bool mark(struct node *node, int level)
{
	uintptr_t next = node->next[level]; /* @mark.read */

	while (!(next & 1))
		if (atomic_compare_exchange_strong(&node->next[level], &next, next | 1)) /* @mark.swap */
			return true;
	return false;
}

bool lock_free_skip_list_remove(struct lock_free_skip_list *list, int key)
{
	struct place p = find(list, key); /* @remove.find */
	struct node *node = p.succ[0];
	bool won;

	if (node->key != key)
		return false;
	for (int i = node->top; i > 0; i--)
		mark(node, i);
	won = mark(node, 0); /* @remove.mark */
#ifdef FAULTY_WIN
	won = true;
#endif
	if (won)
		find(list, key); /* unlinks it */
	return won;
}

bool lock_free_skip_list_contains(struct lock_free_skip_list *list, int key)
{
	struct node *pred = &list->head, *curr = NULL;

	for (int i = LEVELS - 1; i >= 0; i--) {
		curr = to_node(pred->next[i]);
		for (;;) {
			uintptr_t next = curr->next[i];

			if (!(next & 1) && curr->key >= key)
				break;
			if (!(next & 1))
				pred = curr;
			curr = to_node(next);
		}
	}
	return curr->key == key;
}
