/* SPDX-License-Identifier: MIT
 *
 * The lock-free stack of userspace-rcu: push without a lock, pop under the stack's own mutex. All
 * in liburcu-cds.
 */
#include <stdlib.h>
#include <urcu/lfstack.h>

#include "client.h"

struct item {
	struct cds_lfs_node node; /* first */
	int value;
};

static struct cds_lfs_stack stack;

static void *create(void)
{
	cds_lfs_init(&stack);
	return &stack;
}

static struct client_result push(void *object, int value)
{
	struct item *item = malloc(sizeof *item);

	cds_lfs_node_init(&item->node);
	item->value = value;
	cds_lfs_push((struct cds_lfs_stack *)object, &item->node);
	return client_void();
}

/* Others that pop wait for the mutex, so an item that was popped may be freed at once. */
static struct client_result pop(void *object, int unused)
{
	struct item *item = (struct item *)cds_lfs_pop_blocking(object);
	int value;

	(void)unused;
	if (!item)
		return client_empty();
	value = item->value;
	free(item);
	return client_value(value);
}

CLIENT_MAIN("stack", create, CLIENT_STACK(push, pop))
