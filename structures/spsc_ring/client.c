/* SPDX-License-Identifier: MIT
 *
 * A client of the ring of one producer and one consumer.
 */
#include "spsc_ring.h"
#include "../client.h"

static void *create(void)
{
	return spsc_ring_create();
}

static struct client_result put(void *object, int value)
{
	return client_bool(spsc_ring_put(object, value));
}

static struct client_result get(void *object, int unused)
{
	int value;

	(void)unused;
	return spsc_ring_get(object, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("bounded-queue(2)", create, { 'e', 1, "enqueue", put }, { 'd', 0, "dequeue", get })
