/* SPDX-License-Identifier: MIT
 *
 * GLib's GAsyncQueue: locks and condition variables that GLib makes of futexes.
 */
#include <glib.h>

#include "client.h"

static void *create(void)
{
	return g_async_queue_new();
}

static struct client_result push(void *queue, int value)
{
	g_async_queue_push(queue, GINT_TO_POINTER(value));
	return client_void();
}

static struct client_result try_pop(void *queue, int unused)
{
	void *data = g_async_queue_try_pop(queue);

	(void)unused;
	return data ? client_value(GPOINTER_TO_INT(data)) : client_empty();
}

/* Waits until there is something. */
static struct client_result pop(void *queue, int unused)
{
	(void)unused;
	return client_value(GPOINTER_TO_INT(g_async_queue_pop(queue)));
}

static const struct client_operation operations[] = {
	{ 'e', true, "enqueue", push },
	{ 'd', false, "dequeue", try_pop },
	{ 'w', false, "dequeue", pop },
	{ 0, false, NULL, NULL },
};

int main(int argc, char **argv)
{
	return client_main(&(const struct client_structure){ "queue", create, operations }, argc,
			   argv);
}
