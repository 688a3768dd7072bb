/* SPDX-License-Identifier: MIT
 *
 * Joins the run directories of the shards of a search (linchpin run --shard).
 */
#ifndef LINCHPIN_PARTS_MERGE_H
#define LINCHPIN_PARTS_MERGE_H

#include "launch/launch.h"
#include "parts/frontier.h"

struct shards;

/* All shards of one search, n of them in any order: checks that they are that, and writes nothing. They are
 * not explored further as long as they are open. NULL and *e. */
struct shards *shards_open(char *const *directories, uint32_t n, struct error *e);
void shards_close(struct shards *s);

/* How the search was begun. */
const struct settings *shards_settings(const struct shards *s);

/* Makes a run directory of theirs. *f: what is left, with what they have found for each other; if they have
 * learned different things of the program, that is all. -1 and *e. */
int shards_merge(struct shards *s, const char *directory, struct frontier *f, struct error *e);

#endif
