/* SPDX-License-Identifier: MIT
 *
 * The bounded queue of apr-util: a mutex and two condition variables.
 */
#include <apr_general.h>
#include <apr_pools.h>
#include <apr_queue.h>
#include <stdint.h>
#include <stdlib.h>

#include "client.h"

static void *create(void)
{
	apr_pool_t *pool;
	apr_queue_t *queue;

	if (apr_initialize() || apr_pool_create(&pool, NULL) || apr_queue_create(&queue, 2, pool))
		return NULL;
	return queue;
}

static struct client_result try_push(void *queue, int value)
{
	return client_bool(apr_queue_trypush(queue, (void *)(intptr_t)value) == APR_SUCCESS);
}

static struct client_result try_pop(void *queue, int unused)
{
	void *data;

	(void)unused;
	return apr_queue_trypop(queue, &data) ? client_empty() : client_value((int)(intptr_t)data);
}

/* These wait for room and for something to pop. */
CLIENT_MORE static struct client_result push(void *queue, int value)
{
	if (apr_queue_push(queue, (void *)(intptr_t)value))
		abort();
	return client_bool(true);
}

CLIENT_MORE static struct client_result pop(void *queue, int unused)
{
	void *data;

	(void)unused;
	if (apr_queue_pop(queue, &data))
		abort();
	return client_value((int)(intptr_t)data);
}

CLIENT_MAIN("bounded-queue(2)", create, CLIENT_QUEUE(try_push, try_pop),
	    { 'p', 1, "enqueue", push }, { 'w', 0, "dequeue", pop })
