/* SPDX-License-Identifier: MIT
 *
 * The lock-free queue of userspace-rcu, in read-side critical sections of the bullet-proof flavour,
 * which registers threads by itself. There is no grace period: what was dequeued is never freed.
 */
#include <stdlib.h>
#include <urcu/urcu-bp.h>
#include <urcu/rculfqueue.h>

#include "client.h"

struct item {
	struct cds_lfq_node_rcu node; /* first */
	int value;
};

static struct cds_lfq_queue_rcu queue;

static void never(struct rcu_head *head, void (*function)(struct rcu_head *head))
{
	(void)head, (void)function;
}

static void *create(void)
{
	cds_lfq_init_rcu(&queue, never);
	return &queue;
}

static struct client_result enqueue(void *object, int value)
{
	struct item *item = malloc(sizeof *item);

	cds_lfq_node_init_rcu(&item->node);
	item->value = value;
	urcu_bp_read_lock();
	cds_lfq_enqueue_rcu(object, &item->node);
	urcu_bp_read_unlock();
	return client_void();
}

static struct client_result dequeue(void *object, int unused)
{
	struct item *item;

	(void)unused;
	urcu_bp_read_lock();
	item = (struct item *)cds_lfq_dequeue_rcu(object);
	urcu_bp_read_unlock();
	return item ? client_value(item->value) : client_empty();
}

CLIENT_MAIN("queue", create, CLIENT_QUEUE(enqueue, dequeue))
