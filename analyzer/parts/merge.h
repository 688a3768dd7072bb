/* SPDX-License-Identifier: MIT
 *
 * Joins the run directories of the shards of a search (linchpin run --shard).
 */
#ifndef LINCHPIN_PARTS_MERGE_H
#define LINCHPIN_PARTS_MERGE_H

#include "parts/frontier.h"

/* Makes a run directory of those of all shards, n of them, in any order; *f: what is left, with what they
 * have found for each other. -1 and *e. */
int parts_merge(char *const *shards, uint32_t n, const char *directory, struct frontier *f,
		struct error *e);

#endif
