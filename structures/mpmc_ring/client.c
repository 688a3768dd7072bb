/* SPDX-License-Identifier: MIT
 *
 * A client of the ring of Vyukov.
 */
#include "mpmc_ring.h"
#include "../client.h"

static void *create(void)
{
	return mpmc_ring_create();
}

static struct client_result put(void *object, int value)
{
	return client_bool(mpmc_ring_put(object, value));
}

static struct client_result get(void *object, int unused)
{
	int value;

	(void)unused;
	return mpmc_ring_get(object, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("queue relaxed enqueue dequeue", create, { 'e', 1, "enqueue", put },
	    { 'd', 0, "dequeue", get })
