/* SPDX-License-Identifier: MIT
 *
 * What a lock around the blocks of a repair must hold besides: lines outside of them whose accesses
 * conflict with one inside, in an execution where nothing but the schedule puts them in order.
 */
#ifndef LINCHPIN_FIX_CONFLICTS_H
#define LINCHPIN_FIX_CONFLICTS_H

#include "repair/blocks.h"
#include "run/trace.h"
#include "source/map.h"

#define CONFLICTS_CLASSES 2000 /* that are looked at */

struct conflicts {
	struct block *lines; /* of one line each; the strings belong to the map */
	uint32_t n, capacity;
};

int conflicts_find(struct run *run, struct srcmap *map, const struct block *blocks,
		   uint32_t nblocks, struct conflicts *c, struct error *e);
void conflicts_free(struct conflicts *c);

#endif
