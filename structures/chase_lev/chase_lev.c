/* SPDX-License-Identifier: MIT
 *
 * Work-stealing deque: Chase and Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), without growing.
 * The owner pushes and pops at the bottom, others steal at the top.
 *
 * Why it is linearizable, in sequentially consistent executions: values are in [top, bottom). push takes
 * effect when it writes bottom; steal when its compare-and-swap moves top; pop when it lowers bottom, if
 * more than one value is left, as thieves that read bottom later leave that one alone, and one that read
 * it before takes the one at top, another one. For the last value pop moves top as thieves do, so one of
 * them gets it. steal tries again if it comes too late.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_LAST: pop takes the last value without moving top by compare-and-swap.
 *
 * FAULTY_ORDER: pop reads top before it lowers bottom. A thief may take the value meanwhile.
 *
 * chase_lev.expect refers to the marks (words after an at sign).
 */
#include "chase_lev.h"

#include <stdatomic.h>
#include <stdlib.h>

#define SIZE 8

struct chase_lev {
	_Atomic long top, bottom;
	_Atomic int value[SIZE];
};

struct chase_lev *chase_lev_create(void)
{
	return calloc(1, sizeof(struct chase_lev));
}

void chase_lev_push(struct chase_lev *deque, int value)
{
	long bottom = deque->bottom;

	deque->value[bottom % SIZE] = value;
	deque->bottom = bottom + 1;
}

bool chase_lev_pop(struct chase_lev *deque, int *value)
{
	long bottom = deque->bottom - 1, top;
	bool last, mine = true;

#ifdef FAULTY_ORDER
	top = deque->top;       /* @pop.top */
	deque->bottom = bottom; /* @pop.bottom */
#else
	deque->bottom = bottom;
	top = deque->top; /* @pop.look */
#endif
	if (bottom < top) {
		deque->bottom = top;
		return false;
	}
	*value = deque->value[bottom % SIZE]; /* @pop.value */
	last = bottom == top;
	if (!last)
		return true;
#ifdef FAULTY_LAST
	deque->top = top + 1; /* @pop.take */
#else
	mine = atomic_compare_exchange_strong(&deque->top, &top, top + 1);
#endif
	deque->bottom = bottom + 1;
	return mine;
}

bool chase_lev_steal(struct chase_lev *deque, int *value)
{
	long top = deque->top;

	do {
		if (top >= deque->bottom)
			return false;
		*value = deque->value[top % SIZE];
	} while (!atomic_compare_exchange_strong(&deque->top, &top, top + 1));
	return true;
}
