/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit's ring buffer. -DKIND=spsc, spmc, mpsc or mpmc: how many producers and consumers;
 * -DSIZE: one more than its capacity, a power of two.
 */
#include <ck_ring.h>
#include <stdint.h>

#include "client.h"

#ifndef KIND
#define KIND mpmc
#endif
#ifndef SIZE
#define SIZE 4
#endif
#define PASTE(a, b)  a##b
#define NAME(a, b)   PASTE(a, b)
#define STRING(a)    #a
#define EXPAND(a, n) a(n)

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];

static void *create(void)
{
	ck_ring_init(&ring, SIZE);
	return &ring;
}

static struct client_result enqueue(void *object, int value)
{
	return client_bool(NAME(ck_ring_enqueue_, KIND)(object, buffer, (void *)(intptr_t)value));
}

static struct client_result dequeue(void *object, int unused)
{
	void *value;

	(void)unused;
	if (!NAME(ck_ring_dequeue_, KIND)(object, buffer, &value))
		return client_empty();
	return client_value((int)(intptr_t)value);
}

#if SIZE == 2
#define CAPACITY "1"
#else
#define CAPACITY "3"
#endif

CLIENT_MAIN("bounded-queue(" CAPACITY ")", create, CLIENT_QUEUE(enqueue, dequeue))
