/* SPDX-License-Identifier: MIT
 *
 * Questions about the execution that has just ended, which are answered by running it again, and on
 * from some point of it, without the rules for waiting. Nothing of these runs is recorded.
 */
#ifndef LP_LOOK_H
#define LP_LOOK_H

#include <stdbool.h>
#include <stdint.h>

enum look_verdict {
	LOOK_CLOSED = 1, /* no end can be reached from there: a livelock */
	LOOK_WAY_OUT,    /* there is an end */
	LOOK_BOUND,      /* neither was found within the bound */
};

void look_init(void);

/* Of all memory and threads, as far as it can be told; at the end of an execution. */
uint64_t look_state(void);

/* Of one thread, which has stopped at an event; 0 if it cannot be told. */
struct fiber;
uint64_t look_local_state(const struct fiber *f);

/* What is known of a state in which an execution ended; 0: nothing. */
enum look_verdict look_known(uint64_t state);

/* Runs one execution under the strategy given, and takes it back (explore.c). */
typedef void look_run(void);

/* What the livelock is that it is; NULL: it is none, or not known. */
struct closed;
const struct closed *look_closed(uint64_t state);

/* Is there a loop in this execution of which that is not known? */
bool look_unknown_loops(void);

/* All threads that are left wait in loops, in this state. Can an end be reached? `run` runs one
 * execution and takes it back. */
enum look_verdict look_for_end(uint64_t state, look_run *run);

/* Do the threads that are stuck really do the same again and again? Each loop is run alone for a
 * while once. One that does not keeps a state that cannot be seen: that is learned (loops.c), and
 * the result is false. */
bool look_at_loops(look_run *run);

#endif
