/* SPDX-License-Identifier: MIT
 *
 * The local state of a thread that has announced an event: where it is, what it is about to do, its
 * registers, its stack from there up, and its thread-local variables; without what is known to be
 * dead (frame_view.h).
 */
#ifndef LP_LOCAL_STATE_H
#define LP_LOCAL_STATE_H

#include "event.h"

#include <stdbool.h>
#include <stddef.h>

#define HOLES 6 /* the deadline, two times, and what is the runtime's below callbacks */

struct fiber;
struct frame_view;

/* All that the state is told from. */
struct local_state {
	const struct frame_view *view; /* NULL: everything counts */
	const void *site;
	const uint64_t *words;         /* the stack from `low` to `high`: in its place, or a copy */
	uint64_t low, high, entry;     /* entry: where rt->entry was, not below low */
	uint64_t vectors;              /* a hash of them; 0: they are dead, or zero */
	uint64_t variables;            /* a hash of the thread-local ones */
	struct hole {
		uint64_t lo, hi;
	} holes[HOLES];                /* what is no state */
	uint32_t nholes;
	uint32_t red_zone, element;
	uint64_t interrupted;          /* a hash of what callbacks have interrupted */
	struct pending pending;
};

void local_state_init(void);

/* Of the running fiber, which announces an event, or of one that has stopped at one; what its
 * vector registers hold is known of the running one only. False if it cannot be told. */
bool local_state_of(const struct fiber *f, struct local_state *s);

/* What is known of a place in the code, and what visits.c notes of it: as both are needed at every
 * event, they are in one line of the cache. */
#define PLACE_POINTS 9
struct code_place {
	uint64_t pc; /* 0: free */
	const struct frame_view *view;
	uint32_t generation;
	uint32_t points[PLACE_POINTS];
	uint16_t live; /* the view's; or registers that count if there is none */
	bool site, vectors_live;
	bool kept; /* states are kept there */
	uint8_t n; /* points, of this generation */
};
_Static_assert(sizeof(struct code_place) == 64, "a place is a line of the cache");

/* Where a fiber is that has announced an event; NULL if its state cannot be told. */
struct code_place *local_place(const struct fiber *f);

/* At a site. */
bool local_vectors_live(const struct fiber *f, const struct code_place *p);

/* A hash of where it is, and of registers that are live there: a part of its state that is cheaply
 * told. */
uint64_t local_state_point(const struct fiber *f, const struct code_place *p);

/* A hash of it, not 0. That two different states of one thread have the same one is less likely
 * than that the memory of the computer fails. */
uint64_t local_state_hash(const struct local_state *s);

#endif
