/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit's queue for many producers and consumers: inline assembly, cmpxchg16b.
 *
 * With -DREUSE every thread enqueues with the entry that its last dequeue gave back.
 */
#include <ck_fifo.h>
#include <stdint.h>
#include <stdlib.h>

#include "client.h"

static _Alignas(16) ck_fifo_mpmc_t fifo;
static ck_fifo_mpmc_entry_t stub;
static __thread ck_fifo_mpmc_entry_t *spare;

static void *create(void)
{
	ck_fifo_mpmc_init(&fifo, &stub);
	return &fifo;
}

static struct client_result enqueue(void *object, int value)
{
	ck_fifo_mpmc_entry_t *entry = spare ? spare : aligned_alloc(16, sizeof *entry);

	spare = NULL;
	ck_fifo_mpmc_enqueue(object, entry, (void *)(intptr_t)value);
	return client_void();
}

static struct client_result dequeue(void *object, int unused)
{
	ck_fifo_mpmc_entry_t *garbage;
	void *value;

	(void)unused;
	if (!ck_fifo_mpmc_dequeue(object, &value, &garbage))
		return client_empty();
#ifdef REUSE
	spare = garbage;
#endif
	return client_value((int)(intptr_t)value);
}

CLIENT_MAIN("queue", create, CLIENT_QUEUE(enqueue, dequeue))
