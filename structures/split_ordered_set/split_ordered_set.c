/* SPDX-License-Identifier: MIT
 *
 * Split-ordered hash table: Shalev and Shavit, "Split-Ordered Lists: Lock-Free Extensible Hash Tables" (PODC 2003, JACM
 * 2006). All keys are in one lock-free list (Michael, SPAA 2002; see harris_list), in the order of their bits reversed. A bucket is a
 * pointer to a sentinel in that list. When the table doubles, the keys of a bucket that belong to the new one are at the end of
 * its part of the list already: a new sentinel is put before them when the new bucket is first used.
 *
 * Why it is linearizable: the list is a set, wherever a search begins, as long as it begins at a linked sentinel that is
 * before the place of the key; sentinels are never removed. A bucket points to its sentinel only after that has been linked. That of
 * a bucket of the smaller table is before those of its halves. So an operation that has read an old size begins further
 * to the left, which is all the same.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_INIT: the bucket points to its new sentinel before that is linked. For others it is empty until then.
 *
 * FAULTY_LINK: the sentinel is linked by a plain write. What another thread links there meanwhile is lost.
 *
 * Nodes are never freed. split_ordered_set.expect refers to the marks (words after an at sign).
 */
#include "split_ordered_set.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define BUCKETS 4 /* at most */
#define KEY_BITS 8

struct node {
	unsigned order;
	_Atomic uintptr_t next; /* and a mark */
};

struct split_ordered_set {
	struct node tail;
	_Atomic(struct node *) bucket[BUCKETS];
	_Atomic unsigned size, keys;
};

static unsigned reversed(unsigned n)
{
	unsigned r = 0;

	for (int i = 0; i < KEY_BITS; i++)
		r |= (n >> i & 1) << (KEY_BITS - 1 - i);
	return r;
}

/* Odd for keys, even for sentinels. */
static unsigned order_of(int key)
{
	return reversed((unsigned)key | 1U << (KEY_BITS - 1));
}

static struct node *to_node(uintptr_t link)
{
	return (struct node *)(link & ~(uintptr_t)1);
}

static struct node *node_new(struct split_ordered_set *set, unsigned order)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		abort();
	node->order = order;
	atomic_init(&node->next, (uintptr_t)&set->tail);
	return node;
}

struct split_ordered_set *split_ordered_set_create(void)
{
	struct split_ordered_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->tail.order = UINT_MAX;
	set->size = 1;
	set->bucket[0] = node_new(set, 0);
	return set;
}

static bool swap(struct node *node, uintptr_t from, uintptr_t to)
{
	return atomic_compare_exchange_strong(&node->next, &from, to);
}

/* The first node of this order or a greater one, and the one before it; marked ones on the way are unlinked. */
static struct node *find(struct node *from, unsigned order, struct node **pred)
{
	for (;;) {
		struct node *before = from, *curr = to_node(before->next);

		for (;;) {
			uintptr_t next = curr->next;

			if (next & 1) {
				if (!swap(before, (uintptr_t)curr, next & ~(uintptr_t)1))
					break;
				curr = to_node(next);
				continue;
			}
			if (curr->order >= order) {
				*pred = before;
				return curr;
			}
			before = curr;
			curr = to_node(next);
		}
	}
}

/* Links a node; returns it, or the one that is there already. */
static struct node *insert(struct node *from, struct node *node)
{
	struct node *pred;

	for (;;) {
		struct node *curr = find(from, node->order, &pred); /* @insert.find */

		if (curr->order == node->order)
			return curr;
		node->next = (uintptr_t)curr;
#ifdef FAULTY_LINK
		if (!(node->order & 1)) {
			pred->next = (uintptr_t)node; /* @insert.link */
			return node;
		}
#endif
		if (swap(pred, (uintptr_t)curr, (uintptr_t)node)) /* @insert.swap */
			return node;
	}
}

/* The sentinel of a bucket, which is made if need be. */
static struct node *sentinel(struct split_ordered_set *set, unsigned bucket)
{
	struct node *there = set->bucket[bucket], *node; /* @init.read */
	unsigned parent = bucket;

	if (there)
		return there;
	for (unsigned bit = BUCKETS; bit && parent == bucket; bit >>= 1)
		parent &= ~bit;
	node = node_new(set, reversed(bucket));
#ifdef FAULTY_INIT
	set->bucket[bucket] = node; /* @init.publish */
	insert(sentinel(set, parent), node); /* @init.insert */
#else
	node = insert(sentinel(set, parent), node);
	set->bucket[bucket] = node;
#endif
	return node;
}

static struct node *begin(struct split_ordered_set *set, int key)
{
	return sentinel(set, (unsigned)key & (set->size - 1));
}

/* Doubles the table when there are more keys than buckets. */
static void grow(struct split_ordered_set *set)
{
	unsigned size = set->size;

	if (size < BUCKETS && set->keys > size)
		atomic_compare_exchange_strong(&set->size, &size, 2 * size);
}

bool split_ordered_set_add(struct split_ordered_set *set, int key)
{
	struct node *node = node_new(set, order_of(key));

	if (insert(begin(set, key), node) != node)
		return false;
	set->keys++;
	grow(set);
	return true;
}

bool split_ordered_set_remove(struct split_ordered_set *set, int key)
{
	struct node *from = begin(set, key), *pred;

	for (;;) {
		struct node *curr = find(from, order_of(key), &pred);
		uintptr_t next;

		if (curr->order != order_of(key))
			return false;
		next = curr->next;
		if ((next & 1) || !swap(curr, next, next | 1))
			continue;
		swap(pred, (uintptr_t)curr, next);
		set->keys--;
		return true;
	}
}

bool split_ordered_set_contains(struct split_ordered_set *set, int key)
{
	struct node *curr = begin(set, key);

	while (curr->order < order_of(key))
		curr = to_node(curr->next);
	return curr->order == order_of(key) && !(curr->next & 1);
}
