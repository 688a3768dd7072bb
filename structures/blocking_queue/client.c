/* SPDX-License-Identifier: MIT
 *
 * A client of the blocking queue.
 */
#include "blocking_queue.h"
#include "../client.h"

static void *create(void)
{
	return blocking_queue_create();
}

static struct client_result put(void *object, int argument)
{
	blocking_queue_put(object, argument);
	return client_void();
}

static struct client_result get(void *object, int unused)
{
	(void)unused;
	return client_value(blocking_queue_get(object));
}

CLIENT_MAIN("bounded-queue(1)", create, { 'e', 1, "enqueue", put }, { 'd', 0, "dequeue", get })
