/* SPDX-License-Identifier: MIT
 *
 * How far a search in parts has come: RUNDIR/frontier, which is written anew after each round and
 * replaces the one before at once, so that a search that was killed at any moment can go on.
 */
#ifndef LINCHPIN_PARTS_FRONTIER_H
#define LINCHPIN_PARTS_FRONTIER_H

#include "format/run_dir.h"
#include "parts/livelocks.h"
#include "parts/tree.h"

struct frontier {
	uint64_t round;
	uint64_t shard, shards; /* 0: all */
	bool shared;		/* the units were divided among shards */
	uint64_t drawn;		/* ranges of the random search that were begun */
	/* What the search has learned, which every part has to know from its beginning; and
	 * RUNDIR/steering. */
	uint64_t reused, sends;
	bool ends_watched, steered;
	char *keep; /* LINCHPIN_KEEP */
	struct lp_status status;
	struct livelocks livelocks;
	struct branch *root; /* what is left of the exhaustive search; NULL: there is none */
};

/* -1 and *e. */
int frontier_write(const char *directory, const struct frontier *f, struct error *e);
int frontier_read(const char *directory, struct frontier *f, struct error *e);
void frontier_free(struct frontier *f);

/* RUNDIR/status. */
int frontier_show(const char *directory, const struct lp_status *s, struct error *e);

#endif
