/* SPDX-License-Identifier: MIT
 *
 * Explores a program in parts (docs/parallel.md).
 */
#ifndef LINCHPIN_PARTS_EXPLORE_H
#define LINCHPIN_PARTS_EXPLORE_H

#include "launch/launch.h"
#include "parts/frontier.h"

struct parts {
	const struct launch *launch; /* of a search that is not divided */
	uint64_t workers;
	double seconds; /* at most, from now on; 0: no bound */
	bool fresh; /* the run directory is new */
	int lock;   /* of it, which processes of parts give back; -1: there is none */
};

/* Why a search like this cannot be explored in parts; NULL: it can. */
const char *parts_impossible(const struct settings *s, bool blocks);

/* What a search begins with; shard 0 of 0: all of it. */
void parts_begin(struct frontier *f, const struct settings *s, uint64_t shard, uint64_t shards);

/* Goes on with the search to its end or that of its bounds, and writes RUNDIR. -1 and *e. */
int parts_explore(const struct parts *p, struct frontier *f, struct error *e);

#endif
