/* SPDX-License-Identifier: MIT
 *
 * From the critical segments of a trace to static blocks.
 */
#ifndef LINCHPIN_REPAIR_LOCATE_H
#define LINCHPIN_REPAIR_LOCATE_H

#include "repair/eliminator.h"
#include "repair/flow.h"

enum extent {
	EXTENT_ENDS,   /* from the line of the one end to that of the other */
	EXTENT_EVENTS, /* the lines of all events of the segment */
	EXTENT_LOOPS,  /* and of the loops that go round in it */
};

/* The block of a segment, in the innermost function activation that the whole segment shares; lines
 * are those of the calls where events are deeper. False if the source positions of the segment are
 * not known. */
bool locate_segment(struct flows *f, const struct trace *t, const struct order *o,
		    const struct segment *s, enum extent extent, struct block *b);

/* The block of the least extent that executes the whole segment in one instance. False as above. */
bool locate_covering(struct flows *f, const struct trace *t, const struct order *o,
		     const struct segment *s, struct block *b);

#endif
