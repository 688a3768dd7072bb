/* SPDX-License-Identifier: MIT
 *
 * Progress conditions (--progress): can every operation complete, whatever becomes of the other
 * threads? waiting/progress.c says what is looked for, and what a clean result means.
 *
 * A violation is an execution with the outcome LP_OUT_NO_PROGRESS: its schedule leads to a state
 * from which a thread, the *victim*, cannot complete its operation.
 */
#ifndef LP_PROGRESS_H
#define LP_PROGRESS_H

#include "look.h"

struct event;

void progress_init(void);

/* The search begins again: what was found is void. */
void progress_forget(void);

/* After an execution: looks at all states that its class has, by further runs. */
void progress_look(look_run *run);

/* At the end of the search: runs what was found once more, and records it. */
void progress_record(look_run *run);

/* The schedule that is replayed has come to its end, and says that no progress is possible from
 * here: why (enum lp_stall), and the victim. Ends the execution so, if that is true; returns if it
 * is not. */
void progress_claim(unsigned why, unsigned victim);

/* Is it open whether the claim by which the execution ended is true? */
bool progress_open(void);
void progress_answer(look_run *run);

/* The victim, and the steps of the loop in which it waits; none if it is blocked. */
unsigned progress_victim(void);
const struct event *progress_loop(uint32_t *n);

/* cuts.c: the states of a class. `look` is called for each that was not met before, with its
 * schedule, as long as it returns true. False: they were not all looked at. */
void cuts_init(void);
void cuts_forget(void);
bool cuts_of_log(bool (*look)(const uint8_t *schedule, uint32_t length));

/* restarts.c: an operation that began anew again and again, once for each operation that another
 * thread completed. */
void restarts_init(void);
/* In the log, by this thread: *at is the index of the latest attempt. */
bool restarts_find(unsigned thread, uint32_t *at);
/* Has the log an operation that too few operations of others could come between? */
bool restarts_few(void);
/* Runs the schedule, and lets the others come between the thread's attempts then. True: there is
 * one, and the schedule has become that which leads to it; *pc is where. */
bool restarts_provoke(look_run *run, unsigned thread, uint8_t *schedule, uint32_t *length,
		      uint64_t *pc);

#endif
