/* SPDX-License-Identifier: MIT
 *
 * Lock-free queue of Michael and Scott: "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
 * Queue Algorithms" (PODC 1996).
 *
 * Why it is linearizable: nodes hang on each other from the dummy at head on; the last one has no next. put
 * takes effect when its compare-and-swap makes its node the next of the last one: only of a last one
 * next is NULL, and it is set once. get takes effect when it moves head; what it has read as next is
 * right, as next never changes again. It is empty if head had no next while head was still head. tail
 * is at most one node behind, as everybody moves it before he goes on.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_LINK: put writes next instead of comparing and swapping; of two nodes one is lost.
 *
 * FAULTY_HEAD: get writes head instead of comparing and swapping; two threads may take one value.
 *
 * Nodes are never freed. ms_queue.expect refers to the marks
 * (words after an at sign).
 */
#include "ms_queue.h"

#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	_Atomic(struct node *) next;
};

struct ms_queue {
	_Atomic(struct node *) head, tail;
};

static struct node *node_new(int value)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		abort();
	node->value = value;
	return node;
}

struct ms_queue *ms_queue_create(void)
{
	struct ms_queue *queue = malloc(sizeof(*queue));

	if (queue) {
		atomic_init(&queue->head, node_new(0));
		atomic_init(&queue->tail, queue->head);
	}
	return queue;
}

/* Moves head or tail from one node to another one, if it is still there. */
static bool move(_Atomic(struct node *) *at, struct node *from, struct node *to)
{
	return atomic_compare_exchange_strong(at, &from, to);
}

void ms_queue_put(struct ms_queue *queue, int value)
{
	struct node *node = node_new(value);

	for (;;) {
		struct node *tail = queue->tail;
		struct node *next = tail->next; /* @put.next */

		if (next) {
			move(&queue->tail, tail, next);
			continue;
		}
#ifdef FAULTY_LINK
		tail->next = node; /* @put.link */
#else
		if (!atomic_compare_exchange_strong(&tail->next, &next, node))
			continue;
#endif
		move(&queue->tail, tail, node); /* @put.tail */
		return;
	}
}

bool ms_queue_get(struct ms_queue *queue, int *value)
{
	for (;;) {
		struct node *head = queue->head; /* @get.head */
		struct node *tail = queue->tail;
		struct node *next = head->next; /* @get.next */

		if (head != queue->head) /* @get.again */
			continue;
		if (!next)
			return false;
		if (head == tail) {
			move(&queue->tail, tail, next);
			continue;
		}
#ifdef FAULTY_HEAD
		queue->head = next; /* @get.move */
#else
		if (!move(&queue->head, head, next))
			continue;
#endif
		*value = next->value;
		return true;
	}
}
