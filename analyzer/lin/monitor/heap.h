/* SPDX-License-Identifier: MIT
 *
 * Operations of a part by their returns: a binary heap.
 */
#ifndef LINCHPIN_LIN_MONITOR_HEAP_H
#define LINCHPIN_LIN_MONITOR_HEAP_H

#include "lin/problem.h"

struct return_heap {
	uint32_t *ops; /* positions in part->ops; ops[0] returns first. The user makes the room */
	uint32_t n;
};

void heap_push(struct return_heap *h, const struct lin_part *part, uint32_t op);
/* Removes the operation that returns first; the heap is not empty. */
uint32_t heap_pop(struct return_heap *h, const struct lin_part *part);

#endif
