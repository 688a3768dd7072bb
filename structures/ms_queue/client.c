/* SPDX-License-Identifier: MIT
 *
 * A client of the queue of Michael and Scott.
 */
#include "ms_queue.h"
#include "../client.h"

static void *create(void)
{
	return ms_queue_create();
}

static struct client_result put(void *object, int value)
{
	ms_queue_put(object, value);
	return client_void();
}

static struct client_result get(void *object, int unused)
{
	int value;

	(void)unused;
	return ms_queue_get(object, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("queue", create, { 'e', 1, "enqueue", put }, { 'd', 0, "dequeue", get })
