/* SPDX-License-Identifier: MIT
 *
 * GLib's GAsyncQueue: locks and condition variables that GLib makes of futexes.
 */
#include <glib.h>
#include <pthread.h>

#include "client.h"

static void *create(void)
{
	return g_async_queue_new();
}

/* When a thread that allocated ends, GLib frees its cache of slices and takes one lock about 100 times. This alone
 * gives too many orders, which are of no interest; so the thread discards its cache. */
static void forget_cache(void)
{
	for (pthread_key_t k = 0; k < 32; k++)
		if (pthread_getspecific(k))
			pthread_setspecific(k, NULL);
}

static struct client_result push(void *queue, int value)
{
	g_async_queue_push(queue, GINT_TO_POINTER(value));
	forget_cache();
	return client_void();
}

static struct client_result try_pop(void *queue, int unused)
{
	void *data = g_async_queue_try_pop(queue);

	(void)unused;
	forget_cache();
	return data ? client_value(GPOINTER_TO_INT(data)) : client_empty();
}

/* Waits until there is something. */
CLIENT_MORE static struct client_result pop(void *queue, int unused)
{
	void *data = g_async_queue_pop(queue);

	(void)unused;
	forget_cache();
	return client_value(GPOINTER_TO_INT(data));
}

CLIENT_MAIN("queue", create, CLIENT_QUEUE(push, try_pop), { 'w', 0, "dequeue", pop })
