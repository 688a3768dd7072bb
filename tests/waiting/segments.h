/* SPDX-License-Identifier: MIT
 *
 * The pieces that random programs are made of.
 */
#ifndef TEST_WAITING_SEGMENTS_H
#define TEST_WAITING_SEGMENTS_H

#include "writer.h"

enum {
	SEGMENT_ANY, /* accesses, no loop */
	SEGMENT_SET_FLAG,
	SEGMENT_ASSERT,
	SEGMENT_LOCKED,
	SEGMENT_TRY_ONCE,
	SEGMENT_FIRST_LOOP,
	SEGMENT_AWAIT = SEGMENT_FIRST_LOOP,
	SEGMENT_AWAIT_TWO,
	SEGMENT_TAS,
	SEGMENT_TTAS,
	SEGMENT_TICKET,
	SEGMENT_POLL_LOCKED,
	SEGMENT_POLL_WRITING, /* by a fetch_add of 0, or a compare-exchange */
	SEGMENT_BACK_OFF,
	SEGMENT_GROWING_BACK_OFF,
	SEGMENT_INCREMENT,
	SEGMENT_COUNTED,
	SEGMENT_COUNTED_TRY,
	SEGMENT_TOGGLE,
	SEGMENT_ANNOUNCE,
	SEGMENT_WORKER,
	SEGMENT_STATISTICS,
	SEGMENT_SEQLOCK_READ,
	SEGMENT_SEQLOCK_WRITE,
	SEGMENT_HANDSHAKE,
	SEGMENT_NESTED,
	SEGMENTS
};

const char *segment_name(unsigned segment);

/* Appends one. */
void write_segment(struct writer *w, unsigned segment);

/* Instead of segments: `n` random instructions and jumps back. */
void write_wild(struct writer *w, unsigned n);

#endif
