/* SPDX-License-Identifier: MIT
 *
 * Livelocks that parts have seen. One that only redundant executions have shown (runtime/livelock.h) is
 * recorded when all parts are done, unless a class of any part has shown it.
 */
#ifndef LINCHPIN_PARTS_LIVELOCKS_H
#define LINCHPIN_PARTS_LIVELOCKS_H

#include "base/util.h"

struct livelocks {
	struct livelock {
		uint64_t name;
		char *schedule; /* threads with dots; NULL: it is recorded */
	} *list;
	uint32_t n, capacity;
};

/* Takes the line if it is one of RUNDIR/left, or of RUNDIR/frontier, about a livelock. */
bool livelocks_line(struct livelocks *l, const char *line);

/* Lines for each. */
void livelocks_print(const struct livelocks *l, FILE *to);
/* How many are still to be recorded. */
uint32_t livelocks_left(const struct livelocks *l);

/* They were executed once more: nothing more can be done. */
void livelocks_done(struct livelocks *l);

void livelocks_merge(struct livelocks *to, const struct livelocks *from);
void livelocks_free(struct livelocks *l);

#endif
