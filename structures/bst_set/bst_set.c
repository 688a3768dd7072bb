/* SPDX-License-Identifier: MIT
 *
 * Set in a binary search tree with compare-and-swap: Ellen, Fatourou, Ruppert and van Breugel, "Non-Blocking Binary
 * Search Trees" (PODC 2010). Keys are in the leaves. A set of this kind is one of the benchmarks of Çirisci, "Formal
 * Verification of Concurrent Data Structures" (Paris 2022).
 *
 * Each inner node has an update word: a record of what is being done, and a state. add flags the parent of the
 * leaf, replaces the leaf by a small tree, and takes the flag away. remove flags the grandparent, marks the parent
 * for good, and lets the grandparent point to the leaf's sibling. Who finds a flag helps to finish.
 *
 * Why it is linearizable: an update word changes whenever a child does, so a flag that is set by compare-and-swap on
 * the word that was read before the children says that they are the same. While a node is flagged only the one
 * step of the record changes its children, and of a marked node they never change again. add and remove take
 * effect when the child is replaced; others when they reach a leaf, which was in the tree while they ran.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_MARK: remove does not mark the parent. What is added below it meanwhile is lost.
 *
 * FAULTY_FLAG: add replaces the leaf without flagging the parent first. The parent may be taken out meanwhile.
 *
 * Nodes and records are never freed. bst_set.expect refers to the marks (words after an at sign).
 */
#include "bst_set.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { CLEAN, ADDING, REMOVING, MARKED }; /* the lowest bits of an update word */

struct node {
	int key;
	bool is_leaf;
	_Atomic uintptr_t update; /* a record and a state */
	_Atomic(struct node *) left, right;
};

struct record {
	struct node *grandparent, *parent, *leaf, *tree;
	uintptr_t update; /* of the parent, as remove has read it */
};

struct bst_set {
	struct node *root;
};

/* What a walk has seen. */
struct place {
	struct node *grandparent, *parent, *leaf;
	uintptr_t above, update; /* the words of grandparent and parent */
};

static struct node *node_new(int key, struct node *left, struct node *right)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		abort();
	node->key = key;
	node->is_leaf = !left;
	atomic_init(&node->left, left);
	atomic_init(&node->right, right);
	return node;
}

struct bst_set *bst_set_create(void)
{
	struct bst_set *set = malloc(sizeof(*set));

	if (set)
		set->root = node_new(INT_MAX, node_new(INT_MAX - 1, NULL, NULL),
				     node_new(INT_MAX, NULL, NULL));
	return set;
}

static int state(uintptr_t update)
{
	return update & 3;
}

static struct record *record(uintptr_t update)
{
	return (struct record *)(update & ~(uintptr_t)3);
}

static bool swap(struct node *node, uintptr_t from, uintptr_t to)
{
	return atomic_compare_exchange_strong(&node->update, &from, to);
}

static struct place walk(struct bst_set *set, int key)
{
	struct place p = { .leaf = set->root };

	while (!p.leaf->is_leaf) {
		p.grandparent = p.parent;
		p.above = p.update;
		p.parent = p.leaf;
		p.update = p.parent->update;                                     /* @walk.update */
		p.leaf = key < p.parent->key ? p.parent->left : p.parent->right; /* @walk.child */
	}
	return p;
}

static bool replace(struct node *parent, struct node *from, struct node *to)
{
	_Atomic(struct node *) *at = to->key < parent->key ? &parent->left : &parent->right;

	return atomic_compare_exchange_strong(at, &from, to); /* @replace.child */
}

static void help_add(struct record *r)
{
	replace(r->parent, r->leaf, r->tree);
	swap(r->parent, (uintptr_t)r | ADDING, (uintptr_t)r | CLEAN);
}

static void help_marked(struct record *r)
{
	struct node *sibling = r->parent->left == r->leaf ? r->parent->right : r->parent->left; /* @marked.sibling */

	replace(r->grandparent, r->parent, sibling); /* @marked.replace */
	swap(r->grandparent, (uintptr_t)r | REMOVING, (uintptr_t)r | CLEAN);
}

static void help(uintptr_t update);

static bool help_remove(struct record *r)
{
#ifndef FAULTY_MARK
	uintptr_t now = r->update;

	if (!atomic_compare_exchange_strong(&r->parent->update, &now, (uintptr_t)r | MARKED) &&
	    now != ((uintptr_t)r | MARKED)) {
		help(now);
		swap(r->grandparent, (uintptr_t)r | REMOVING, (uintptr_t)r | CLEAN);
		return false;
	}
#endif
	help_marked(r);
	return true;
}

static void help(uintptr_t update)
{
	if (state(update) == ADDING)
		help_add(record(update));
	else if (state(update) == MARKED)
		help_marked(record(update));
	else if (state(update) == REMOVING)
		help_remove(record(update));
}

static struct record *record_new(struct place p, struct node *tree)
{
	struct record *r = malloc(sizeof(*r));

	if (!r)
		abort();
	*r = (struct record){ p.grandparent, p.parent, p.leaf, tree, p.update };
	return r;
}

/* The leaf and the new one below a new node. */
static struct node *tree_new(struct node *leaf, int key)
{
	struct node *node = node_new(key, NULL, NULL);
	struct node *old = node_new(leaf->key, NULL, NULL);

	return key < leaf->key ? node_new(leaf->key, node, old) : node_new(key, old, node);
}

bool bst_set_add(struct bst_set *set, int key)
{
	for (;;) { /* @add.again */
		struct place p = walk(set, key); /* @add.walk */
		struct record *r;

		if (p.leaf->key == key)
			return false;
		if (state(p.update) != CLEAN) {
			help(p.update);
			continue;
		}
		r = record_new(p, tree_new(p.leaf, key));
#ifdef FAULTY_FLAG
		if (replace(p.parent, p.leaf, r->tree)) /* @add.replace */
			return true;
#else
		if (swap(p.parent, p.update, (uintptr_t)r | ADDING)) {
			help_add(r);
			return true;
		}
		help(p.parent->update);
#endif
	} /* @add.end */
}

bool bst_set_remove(struct bst_set *set, int key)
{
	for (;;) {
		struct place p = walk(set, key); /* @remove.walk */
		struct record *r;

		if (p.leaf->key != key)
			return false;
		if (state(p.above) != CLEAN || state(p.update) != CLEAN) {
			help(state(p.above) != CLEAN ? p.above : p.update);
			continue;
		}
		r = record_new(p, NULL);
		if (swap(p.grandparent, p.above, (uintptr_t)r | REMOVING)) {
			if (help_remove(r)) /* @remove.help */
				return true;
		} else {
			help(p.grandparent->update);
		}
	}
}

bool bst_set_contains(struct bst_set *set, int key)
{
	return walk(set, key).leaf->key == key;
}
