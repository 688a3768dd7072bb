/* SPDX-License-Identifier: MIT
 *
 * Runs to a state, and on from there by one thread alone while all others are stalled.
 */
#ifndef LP_ALONE_H
#define LP_ALONE_H

#include "event.h"
#include "look.h"

#define MAX_LOOP 256
#define NOBODY	 UINT32_MAX

enum how {
	GOES_ON = 0,  /* it ended in another way, or nobody was to go on */
	COMPLETES,    /* its operation */
	BLOCKED,
	GOES_ROUND,   /* for ever */
	TOO_LONG,     /* none of these within a bound */
	LOST,         /* the schedule could not be followed, or a bound has ended the run */
};

struct alone {
	uint8_t *schedule; /* room for the longest log, and ALONE_ROOM more */
	uint32_t length;
	uint32_t loop_from, loop_to; /* steps of the schedule to keep in loop[]; equal: none */

	/* What came of it. The state at the end of the schedule, the threads in operations there,
	 * and those of them that could run. */
	uint64_t state, open, able;
	uint32_t taken;        /* steps alone */
	uint32_t round, circle; /* GOES_ROUND: steps of a round, and those until its first end */
	struct event loop[MAX_LOOP];
	uint32_t nloop;
	bool restart; /* a run has learned something for which the search must begin again */
};
#define ALONE_ROOM 50000U

struct alone *alone_init(void);

/* Runs the schedule, and the thread alone after it, or NOBODY. `exact`: a circle is found when it
 * closes first, not only some rounds later, which costs less. */
enum how alone_run(look_run *run, unsigned thread, bool exact);

/* A set of threads. */
uint64_t alone_in_operations(void);

#endif
