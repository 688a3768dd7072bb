/* SPDX-License-Identifier: MIT
 *
 * A list of repairs none of which subsumes another.
 */
#ifndef LINCHPIN_REPAIR_LIST_H
#define LINCHPIN_REPAIR_LIST_H

#include "repair/blocks.h"

struct repair_list {
	struct repair *list;
	uint32_t n, capacity;
};

/* Adds a repair unless it subsumes one that is there; drops those that subsume it. Takes over its
 * blocks. */
void repair_list_add(struct repair_list *l, struct repair *r);
/* Sorts by repair_compare, keeps the first `keep`, and returns how many were dropped. */
uint32_t repair_list_trim(struct repair_list *l, uint32_t keep);
void repair_list_clear(struct repair_list *l);
void repair_list_free(struct repair_list *l);

#endif
