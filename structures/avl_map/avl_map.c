/* SPDX-License-Identifier: MIT
 *
 * Logical-ordering AVL map: Drachsler, Vechev and Yahav, "Practical Concurrent Binary Search Trees
 * via Logical Ordering" (PPoPP 2014); known in Java as LogicalOrderingAVL. It is one of the
 * benchmarks of Çirisci, Enea, Farzan and Mutluergil, "Root Causing Linearizability Violations" (CAV
 * 2020), which has the faulty variants.
 *
 * The nodes are in a doubly linked list in the order of keys, and in an AVL tree. The list decides
 * what is in the map; the tree only says where to begin. A walk down the tree may go wrong while
 * others rotate it, so it ends at some node, and from there pred and succ lead to the place.
 *
 * Why it is linearizable: a key between two neighbours pred and succ of the list is absent, and
 * stays so while pred's succ_lock is held and pred is valid (in the list): what changes pred.succ, or
 * makes pred or its successor invalid, takes that lock. put takes effect when it writes pred.succ or
 * the item, remove when valid becomes false, both under this lock. get follows pred until the key is
 * not greater, then succ: where it ends was the neighbour at some time while it ran, and valid says
 * whether it is in the map.
 *
 * Locks: a succ_lock comes before the next node's in the list, and before tree locks; tree locks are
 * taken from children to parents, and tried the other way.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_INSERT: put gives pred's succ_lock back before it reads pred.succ, takes it again before it
 * changes anything, and does not look again.
 *
 * FAULTY_REMOVE: the same in remove.
 *
 * Unlike the original, put and remove look at pred before they take its lock, too (find_pred). So
 * they wait for others without taking locks in vain.
 *
 * Nodes are never freed; the algorithm was written for a language with a garbage collector.
 * avl_map.expect refers to the marks (words after an at sign).
 */
#include "avl_map.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int key;
	_Atomic int item;
	_Atomic bool valid;
	_Atomic(struct node *) pred, succ;          /* the list */
	_Atomic(struct node *) parent, left, right; /* the tree */
	int left_height, right_height;              /* under tree_lock */
	pthread_mutex_t succ_lock;                  /* own succ, and pred of the node there */
	pthread_mutex_t tree_lock; /* left, right, heights, and the children's parent */
};

struct avl_map {
	struct node *root; /* its key is INT_MAX; all others are in its left subtree */
};

static struct node *node_new(int key, int item, struct node *pred, struct node *succ,
			     struct node *parent)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node || pthread_mutex_init(&node->succ_lock, NULL) ||
	    pthread_mutex_init(&node->tree_lock, NULL))
		abort();
	node->key = key;
	atomic_init(&node->item, item);
	atomic_init(&node->valid, true);
	atomic_init(&node->pred, pred);
	atomic_init(&node->succ, succ);
	atomic_init(&node->parent, parent);
	return node;
}

struct avl_map *avl_map_create(void)
{
	struct avl_map *map = malloc(sizeof(*map));
	struct node *least = node_new(INT_MIN, 0, NULL, NULL, NULL);

	if (!map)
		return NULL;
	map->root = node_new(INT_MAX, 0, least, NULL, least);
	least->right = map->root;
	least->succ = map->root;
	return map;
}

/* ---- the tree ---- */

static void lock_tree(struct node *node)
{
	pthread_mutex_lock(&node->tree_lock);
}

static bool try_tree(struct node *node)
{
	return !pthread_mutex_trylock(&node->tree_lock);
}

static void unlock_tree(struct node *node)
{
	if (node)
		pthread_mutex_unlock(&node->tree_lock);
}

/* Takes the tree lock of the node's parent. */
static struct node *lock_parent(struct node *node)
{
	struct node *parent = node->parent;

	lock_tree(parent);
	while (node->parent != parent || !parent->valid) {
		unlock_tree(parent);
		for (parent = node->parent; !parent->valid; parent = node->parent)
			sched_yield();
		lock_tree(parent);
	}
	return parent;
}

static int balance(const struct node *node)
{
	return node->left_height - node->right_height;
}

static int height(const struct node *node)
{
	if (!node)
		return 0;
	return 1 +
	       (node->left_height > node->right_height ? node->left_height : node->right_height);
}

/* Did it change? */
static bool update_height(struct node *child, struct node *node, bool is_left)
{
	int *to = is_left ? &node->left_height : &node->right_height;
	int before = *to;

	*to = height(child);
	return *to != before;
}

/* Puts another child into the place of a child; was it the left one? */
static bool replace_child(struct node *parent, struct node *child, struct node *other)
{
	bool is_left = parent->left == child;

	if (other)
		other->parent = parent;
	if (is_left)
		parent->left = other;
	else
		parent->right = other;
	return is_left;
}

/* Turns child, the left one if to_right, up into the place of node. */
static void rotate(struct node *child, struct node *node, struct node *parent, bool to_right)
{
	struct node *inner = to_right ? child->right : child->left;

	replace_child(parent, node, child);
	node->parent = child;
	if (inner)
		inner->parent = node;
	if (to_right) {
		child->right = node;
		node->left = inner;
		node->left_height = child->right_height;
		child->right_height = height(node);
	} else {
		child->left = node;
		node->right = inner;
		node->right_height = child->left_height;
		child->left_height = height(node);
	}
}

static bool balanced(const struct node *node)
{
	return balance(node) > -2 && balance(node) < 2;
}

/* On the way to the root. The tree locks of all three are held, unless they are NULL. */
struct climb {
	struct node *parent, *node, *child;
	bool is_left; /* child */
};

/* A lock was not to be had: all are given back, and those of node and of the child on its higher
 * side taken again. False, without a lock, if there is nothing to balance any more. */
static bool restart(struct climb *c)
{
	unlock_tree(c->parent);
	c->parent = NULL;
	for (;;) {
		unlock_tree(c->node);
		sched_yield();
		lock_tree(c->node);
		if (!c->node->valid || balanced(c->node)) {
			unlock_tree(c->node);
			return false;
		}
		c->is_left = balance(c->node) >= 2;
		c->child = c->is_left ? c->node->left : c->node->right;
		if (try_tree(c->child))
			return true;
	}
}

/* Makes child the one on the higher side of node; its inner child is turned up if that is too
 * high. False as above. */
static bool choose_child(struct climb *c)
{
	for (;;) {
		bool left = balance(c->node) >= 2;
		struct node *inner;

		if (!c->child || c->is_left != left) {
			unlock_tree(c->child);
			c->is_left = left;
			c->child = left ? c->node->left : c->node->right;
			if (!try_tree(c->child)) {
				if (!restart(c))
					return false;
				continue;
			}
		}
		if (left ? balance(c->child) >= 0 : balance(c->child) <= 0)
			return true;
		inner = left ? c->child->right : c->child->left;
		if (try_tree(inner)) {
			rotate(inner, c->child, c->node, !left);
			unlock_tree(c->child);
			c->child = inner;
			return true;
		}
		unlock_tree(c->child);
		c->child = NULL;
		if (!restart(c))
			return false;
	}
}

/* Rotates until node, or what has taken its place, is balanced. */
static bool rotate_node(struct climb *c)
{
	while (!balanced(c->node)) {
		struct node *node = c->node;

		if (!choose_child(c))
			return false;
		if (!c->parent)
			c->parent = lock_parent(node);
		rotate(c->child, node, c->parent, c->is_left);
		if (!balanced(node)) { /* it again, below child */
			unlock_tree(c->parent);
			c->parent = c->child;
			c->child = NULL;
			continue;
		}
		c->node = c->child;
		c->child = node;
		c->is_left = c->node->left == node;
	}
	return true;
}

/* From node up to the root: heights, and rotations where they differ by two. The tree locks of node
 * and of child, which may be NULL, are held, and given back. */
static void rebalance(struct avl_map *map, struct node *node, struct node *child, bool is_left)
{
	struct climb c = { NULL, node, child, is_left };

	while (c.node != map->root) {
		bool updated = update_height(c.child, c.node, c.is_left);

		if (!updated && balanced(c.node))
			break;
		if (!rotate_node(&c))
			return;
		unlock_tree(c.child);
		c.child = c.node;
		c.node = c.parent ? c.parent : lock_parent(c.child);
		c.parent = NULL;
		c.is_left = c.node->left == c.child;
	}
	unlock_tree(c.child);
	unlock_tree(c.node);
}

/* Hangs a new leaf under its parent, whose tree lock is held and given back. */
static void tree_insert(struct avl_map *map, struct node *parent, struct node *node, bool is_right)
{
	struct node *above;

	if (is_right) {
		parent->right = node;
		parent->right_height = 1;
	} else {
		parent->left = node;
		parent->left_height = 1;
	}
	if (parent == map->root) {
		unlock_tree(parent);
		return;
	}
	above = lock_parent(parent);
	rebalance(map, above, parent, above->left == parent);
}

/* Of pred and succ the one that has no child towards the other; locked. */
static struct node *choose_parent(struct node *pred, struct node *succ, struct node *first)
{
	struct node *at = first == pred || first == succ ? first : pred;

	for (;;) {
		lock_tree(at);
		if (!(at == pred ? at->right : at->left))
			return at;
		unlock_tree(at);
		at = at == pred ? succ : pred;
		sched_yield();
	}
}

/* Tries to take the tree locks of what a removal of node changes below it. */
static bool try_below(struct node *node, struct node **successor)
{
	struct node *right = node->right, *left = node->left, *parent;

	*successor = NULL;
	if (!right || !left)
		return (!right || try_tree(right)) && (!left || try_tree(left));
	*successor = node->succ;
	parent = (*successor)->parent;
	if (parent != node) {
		if (!try_tree(parent))
			return false;
		if (parent != (*successor)->parent || !parent->valid) {
			unlock_tree(parent);
			return false;
		}
	}
	if (try_tree(*successor)) {
		right = (*successor)->right;
		if (!right || try_tree(right))
			return true;
		unlock_tree(*successor);
	}
	if (parent != node)
		unlock_tree(parent);
	return false;
}

/* Takes the tree locks of node and of what its removal changes below it. The node that takes its
 * place, if it has two children. */
static struct node *acquire(struct node *node)
{
	struct node *successor;

	for (;;) {
		lock_tree(node);
		if (try_below(node, &successor))
			return successor;
		unlock_tree(node);
		sched_yield();
	}
}

/* The successor, which has no left child, takes the place of a node with two children. */
static void move_up(struct avl_map *map, struct node *node, struct node *successor,
		    struct node *parent)
{
	struct node *from = successor->parent, *below = successor->right;
	bool is_left;

	replace_child(from, successor, below);
	successor->left_height = node->left_height;
	successor->right_height = node->right_height;
	successor->left = node->left;
	successor->right = node->right;
	successor->left->parent = successor;
	if (successor->right)
		successor->right->parent = successor;
	replace_child(parent, node, successor);
	is_left = from != node;
	if (is_left)
		unlock_tree(successor);
	else
		from = successor;
	unlock_tree(node);
	unlock_tree(parent);
	rebalance(map, from, below, is_left);
}

/* Takes node out of the tree. The tree locks that acquire() has taken, and that of the parent, are
 * given back. */
static void tree_remove(struct avl_map *map, struct node *node, struct node *successor,
			struct node *parent)
{
	struct node *child;
	bool is_left;

	if (successor) {
		move_up(map, node, successor, parent);
		return;
	}
	child = node->right ? node->right : node->left;
	is_left = replace_child(parent, node, child);
	unlock_tree(node);
	rebalance(map, parent, child, is_left);
}

/* ---- the list ---- */

/* Where a walk down the tree ends: the key, or a leaf. */
static struct node *walk(struct avl_map *map, int key)
{
	struct node *node = map->root, *child = node->left;

	while (child) {
		node = child;
		if (node->key == key)
			break;
		child = key > node->key ? node->right : node->left;
	}
	return node;
}

/* Where the key is or belongs in the list: behind the node that is returned. *at is where the walk
 * ended. The caller looks again when it has the lock; this look only waits, without taking locks,
 * until a node that is in the list and not yet in the tree, or the other way round, is in both. */
static struct node *find_pred(struct avl_map *map, int key, struct node **at)
{
	for (;;) {
		struct node *node = walk(map, key), *pred = key > node->key ? node : node->pred;

		*at = node;
		if (pred->valid && pred->key < key && pred->succ->key >= key)
			return pred;
		sched_yield();
	}
}

bool avl_map_put(struct avl_map *map, int key, int value, int *old)
{
	for (;;) {
		struct node *at, *pred = find_pred(map, key, &at), *succ, *parent, *node;

		pthread_mutex_lock(&pred->succ_lock);
		if (!pred->valid) { /* @put.valid */
			pthread_mutex_unlock(&pred->succ_lock);
			continue;
		}
#ifdef FAULTY_INSERT
		pthread_mutex_unlock(&pred->succ_lock);
		succ = pred->succ; /* @put.succ */
		if (succ->key < key)
			continue;
		pthread_mutex_lock(&pred->succ_lock);
#else
		succ = pred->succ;
		if (succ->key < key) {
			pthread_mutex_unlock(&pred->succ_lock);
			continue;
		}
#endif
		if (succ->key == key) {
			*old = succ->item;  /* @put.old */
			succ->item = value; /* @put.item */
			pthread_mutex_unlock(&pred->succ_lock);
			return true;
		}
		parent = choose_parent(pred, succ, at); /* @put.parent */
		node = node_new(key, value, pred, succ, parent);
		succ->pred = node; /* @put.pred */
		pred->succ = node; /* @put.link */
		pthread_mutex_unlock(&pred->succ_lock);
		tree_insert(map, parent, node, parent == pred);
		return false;
	}
}

bool avl_map_remove(struct avl_map *map, int key, int value)
{
	for (;;) {
		struct node *at, *pred = find_pred(map, key, &at), *succ, *next, *parent;
		struct node *successor;

		pthread_mutex_lock(&pred->succ_lock);
		if (!pred->valid) { /* @remove.valid */
			pthread_mutex_unlock(&pred->succ_lock);
			continue;
		}
#ifdef FAULTY_REMOVE
		pthread_mutex_unlock(&pred->succ_lock);
		succ = pred->succ; /* @remove.succ */
		if (succ->key < key)
			continue;
		pthread_mutex_lock(&pred->succ_lock);
#else
		succ = pred->succ;
		if (succ->key < key) {
			pthread_mutex_unlock(&pred->succ_lock);
			continue;
		}
#endif
		if (succ->key != key || succ->item != value) { /* @remove.item */
			pthread_mutex_unlock(&pred->succ_lock);
			return false;
		}
		pthread_mutex_lock(&succ->succ_lock);
		successor = acquire(succ); /* @remove.acquire */
		parent = lock_parent(succ);
		succ->valid = false; /* @remove.mark */
		next = succ->succ;
		next->pred = pred;
		pred->succ = next; /* @remove.link */
		pthread_mutex_unlock(&succ->succ_lock);
		pthread_mutex_unlock(&pred->succ_lock);
		tree_remove(map, succ, successor, parent);
		return true;
	}
}

bool avl_map_get(struct avl_map *map, int key, int *value)
{
	struct node *node = walk(map, key);

	while (node->key > key)
		node = node->pred;
	while (node->key < key)
		node = node->succ;
	if (node->key != key || !node->valid)
		return false;
	*value = node->item;
	return true;
}
