/* SPDX-License-Identifier: MIT
 *
 * What depth-first searches share: their stack. It is the log of the latest execution, and each
 * step in it has a frame, which says what is left to explore from the state before it.
 */
#ifndef LP_FRAMES_H
#define LP_FRAMES_H

#include "../strategy.h"

struct search_frame {
	uint64_t backtrack; /* threads to be explored from here */
	uint64_t done;      /* those that have been */
	uint64_t sleep;     /* those of which an equivalent execution has been explored */
	uint64_t half;      /* those that sleep if what they write is not seen (observed.h) */
	bool ran;           /* somebody's step has been executed from here */
	bool terminal;      /* the execution ended in this step: dependent with everything */
};

/*
 * What a thread did when it was explored from a frame, by which it is known what wakes it while it
 * sleeps. It does the same as long as it sleeps, since whatever would change that is dependent with
 * it; but what that is (does a write change anything, does a trylock fail?) is only known once it
 * has been executed. These are its *n events: one, unless blocks are in force.
 */
const struct event *frames_sleeper(unsigned thread, uint32_t *n);

/* The same of one that sleeps in the state before an earlier step on the stack: its first event; *since:
 * the frame from which it was explored. */
const struct event *frames_sleeper_at(unsigned thread, uint32_t frame, uint32_t *since);

/* The frames below this one are not this search's: it does not go back to them. 0, unless it is one part
 * of a search (part.c). */
extern uint32_t *frames_floor;

/* The step at this frame of the latest execution was explored: it can sleep from now on; false: there is no room to
 * remember it. */
bool frames_sleeps(uint32_t frame);

/* By the step's index in the log; of events that are no steps they mean nothing. */
extern struct search_frame *search_frames;

void frames_init(void);

/* Where the next execution leaves the latest one, false if nothing is left; with sleep_sets what
 * was explored goes to sleep. */
bool frames_begin(uint32_t *prefix, int32_t *choice, bool sleep_sets);

/* The same; `first` says which of the threads that are left comes first. */
bool frames_begin_by(uint32_t *prefix, int32_t *choice, bool sleep_sets,
		     int (*first)(uint32_t frame, uint64_t left));

double frames_estimate(void); /* estimate.c */

#endif
