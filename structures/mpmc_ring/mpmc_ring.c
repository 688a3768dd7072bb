/* SPDX-License-Identifier: MIT
 *
 * Bounded queue of many producers and consumers: Vyukov, "Bounded MPMC queue" (1024cores.net, 2010).
 *
 * Each place has a turn: 2n while it waits for value n of those that go there, 2n + 1 while it holds it.
 * A thread takes a number by compare-and-swap, which succeeds only if the place has the turn for it, and
 * then has the place for itself until it sets the next turn.
 *
 * Why it is linearizable, but for operations that fail: put and get take effect when they take a number.
 * Values come out in the order of numbers; the value of a number is read behind the turn that says it is
 * there. An operation fails if the place is not ready: perhaps only because another thread that has taken
 * its number before has not set the turn yet. So failures are allowed without a reason.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_TURN: put sets the turn before it writes the value.
 *
 * FAULTY_NUMBER: get takes its number without comparing; two threads may take one.
 *
 * mpmc_ring.expect refers to the marks (words after an at sign).
 */
#include "mpmc_ring.h"

#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 2

struct mpmc_ring {
	_Atomic unsigned head, tail;
	struct {
		_Atomic unsigned turn;
		_Atomic int value;
	} place[SIZE];
};

struct mpmc_ring *mpmc_ring_create(void)
{
	return calloc(1, sizeof(struct mpmc_ring));
}

bool mpmc_ring_put(struct mpmc_ring *ring, int value)
{
	unsigned n = ring->tail;

	for (;;) {
		if (ring->place[n % SIZE].turn == n / SIZE * 2) {
			if (atomic_compare_exchange_strong(&ring->tail, &n, n + 1))
				break;
		} else {
			unsigned before = n;

			n = ring->tail;
			if (n == before)
				return false;
		}
	}
#ifdef FAULTY_TURN
	ring->place[n % SIZE].turn = n / SIZE * 2 + 1; /* @put.turn */
	ring->place[n % SIZE].value = value;           /* @put.value */
#else
	ring->place[n % SIZE].value = value;
	ring->place[n % SIZE].turn = n / SIZE * 2 + 1;
#endif
	return true;
}

bool mpmc_ring_get(struct mpmc_ring *ring, int *value)
{
	unsigned n = ring->head; /* @get.head */

	for (;;) {
		if (ring->place[n % SIZE].turn == n / SIZE * 2 + 1) { /* @get.check */
#ifdef FAULTY_NUMBER
			ring->head = n + 1; /* @get.number */
			break;
#else
			if (atomic_compare_exchange_strong(&ring->head, &n, n + 1))
				break;
#endif
		} else {
			unsigned before = n;

			n = ring->head;
			if (n == before)
				return false;
		}
	}
	*value = ring->place[n % SIZE].value;
	ring->place[n % SIZE].turn = n / SIZE * 2 + 2; /* @get.turn */
	return true;
}
