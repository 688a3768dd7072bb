/* SPDX-License-Identifier: MIT
 *
 * Ring buffer of one producer and one consumer: Lamport, "Proving the Correctness of Multiprocess Programs"
 * (IEEE TSE 1977).
 *
 * Why it is linearizable: only the producer writes tail, only the consumer writes head. put takes effect when
 * it writes tail, get when it writes head. The place at tail is free until then, as the consumer stays
 * below tail; the one at head is full, as the producer stays within the size. One that finds the ring full
 * or empty does so when it reads the other index.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_ORDER: the producer moves tail before it writes the value.
 *
 * FAULTY_FULL: the ring counts as full one value too late; the oldest one is overwritten.
 *
 * spsc_ring.expect refers to the marks (words after an at sign).
 */
#include "spsc_ring.h"

#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 2

#ifdef FAULTY_FULL
#define MOST (SIZE + 1)
#else
#define MOST SIZE
#endif

struct spsc_ring {
	_Atomic unsigned head, tail; /* only grow */
	_Atomic int place[SIZE];
};

struct spsc_ring *spsc_ring_create(void)
{
	return calloc(1, sizeof(struct spsc_ring));
}

bool spsc_ring_put(struct spsc_ring *ring, int value)
{
	unsigned tail = ring->tail;

	if (tail - ring->head >= MOST)
		return false;
#ifdef FAULTY_ORDER
	ring->tail = tail + 1;            /* @put.tail */
	ring->place[tail % SIZE] = value; /* @put.value */
#else
	ring->place[tail % SIZE] = value;
	ring->tail = tail + 1;
#endif
	return true;
}

bool spsc_ring_get(struct spsc_ring *ring, int *value)
{
	unsigned head = ring->head;

	if (head == ring->tail)
		return false;
	*value = ring->place[head % SIZE];
	ring->head = head + 1;
	return true;
}
