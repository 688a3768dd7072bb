/* SPDX-License-Identifier: MIT
 *
 * The queue of userspace-rcu with wait-free enqueue; dequeue holds the queue's mutex, and waits for
 * an enqueue that is half done. -D_LGPL_SOURCE compiles it into the program.
 */
#include <stdlib.h>
#include <urcu/wfcqueue.h>

#include "client.h"

struct item {
	struct cds_wfcq_node node; /* first */
	int value;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

static void *create(void)
{
	cds_wfcq_init(&head, &tail);
	return &head;
}

static struct client_result enqueue(void *object, int value)
{
	struct item *item = malloc(sizeof *item);

	cds_wfcq_node_init(&item->node);
	item->value = value;
	cds_wfcq_enqueue((struct cds_wfcq_head *)object, &tail, &item->node);
	return client_void();
}

static struct client_result dequeue(void *object, int unused)
{
	struct item *item = (struct item *)cds_wfcq_dequeue_blocking(object, &tail);
	int value;

	(void)unused;
	if (!item)
		return client_empty();
	value = item->value;
	free(item);
	return client_value(value);
}

CLIENT_MAIN("queue", create, CLIENT_QUEUE(enqueue, dequeue))
