/* SPDX-License-Identifier: MIT
 *
 * What a part has handed back: RUNDIR/left (format/run_dir.h).
 */
#ifndef LINCHPIN_PARTS_LEFT_H
#define LINCHPIN_PARTS_LEFT_H

#include "parts/livelocks.h"

struct left {
	char *text;   /* in which the lines are */
	char **lines; /* about units, for tree_apply */
	uint32_t nlines, capacity;
	struct livelocks livelocks;
	bool restart; /* all parts have to begin again */
};

/* -1 and *e: it is not there, or not whole. */
int left_read(const char *directory, struct left *l, struct error *e);
void left_free(struct left *l);

/* Has the part come to its end? */
bool left_is_there(const char *directory);

#endif
