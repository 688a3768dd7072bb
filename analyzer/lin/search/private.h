/* SPDX-License-Identifier: MIT
 *
 * One worker of the general search: shared by search.c (the search) and setup.c (making it,
 * workers).
 */
#ifndef LINCHPIN_LIN_SEARCH_PRIVATE_H
#define LINCHPIN_LIN_SEARCH_PRIVATE_H

#include "lin/search/memo.h"
#include "lin/search/search.h"

enum frame_kind {
	FRAME_FORCED, /* an observer: no alternative */
	FRAME_CHOICE,
};

struct frame {
	uint32_t op;       /* linearized here */
	uint32_t mark;     /* state.nlog before */
	uint32_t cursor;   /* next alternative: an event */
	uint32_t frontier; /* the first return when the frame was made */
	uint8_t phase, kind;
};

struct search {
	const struct lin_part *part;
	struct lin_run *run;
	struct memo *memo;
	enum step (*step)(struct state *s, const struct lin_op *op);
	struct state state;
	struct plugin_pool *pool; /* of a user specification */
	bool determined;          /* the state follows from what is linearized */

	/* Two lists over event numbers; the sentinels are nevents (completed operations) and
	 * nevents + 1 (pending). */
	uint32_t *next, *previous;
	uint32_t *slot;  /* by operation: its bit in mask while it runs */
	uint32_t *prior; /* by operation: an equal one that goes first, or NONE */
	bool *done;
	/*
	 * A bit is flipped whenever an operation of that slot is linearized. At a given frontier
	 * all former owners of the slot are linearized, so the bit tells whether the present one
	 * is.
	 */
	uint64_t *mask;
	uint32_t nmask;
	uint64_t hash[2]; /* of the set of linearized operations */

	struct frame *frames;
	uint32_t depth;
	uint32_t *best; /* the deepest partial order */
	uint32_t deepest, common;

	bool backwards, pending_first; /* order of the alternatives */
	int *stop;                     /* another worker knows the answer */
	bool out_of_memory;
	size_t steps;
	void *block; /* what to free */
};

enum search_end {
	SEARCH_FOUND,
	SEARCH_NONE,
	SEARCH_STOPPED, /* deadline, memory or told to */
	SEARCH_BUDGET,  /* more steps than that; can be continued */
};

enum search_end search_go(struct search *s, size_t budget);
void start_phase(struct search *s, struct frame *f);

#endif
