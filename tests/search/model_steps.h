/* SPDX-License-Identifier: MIT
 *
 * What the files of the model's steps share.
 */
#ifndef TEST_SEARCH_MODEL_STEPS_H
#define TEST_SEARCH_MODEL_STEPS_H

#include "model_state.h"

/* The operation that the thread is in, or comes to; OP_END behind the last one. */
const struct op *state_next(const struct program *p, const struct state *s, unsigned t);

/* The operation is over. */
void state_result(struct state *s, unsigned t, unsigned value);

void state_over(struct state *s, enum end end);

/* What the thread finds out by itself is no step. */
bool state_local(const struct program *p, const struct state *s, unsigned t, const struct op *o);

/* The block that malloc gives to the thread. One that was freed is given by a step of its own. */
#define PHASE_GIVEN 5
uint8_t state_allocate(const struct program *p, struct state *s, unsigned t, uint8_t large);

/* model_locks.c: mutexes, read-write locks, spin locks, streams */
bool state_lock_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o);
bool state_lock_local(const struct program *p, const struct state *s, unsigned t, const struct op *o); /* no step */
void state_on_lock(const struct program *p, struct state *s, unsigned t, const struct op *o);
void mutex_release(struct state *s, unsigned k); /* and what comes of a robust one */
/* A robust mutex that the thread holds, + 1; 0: none. */
unsigned mutex_of_ended(const struct program *p, const struct state *s, unsigned t);

/* model_waits.c: semaphores, conditions, barriers, once. Phases of a wait for a condition; with cancellation there is a
 * point before it. */
enum { COND_COMES = 0, COND_QUEUED, COND_LOCKS, COND_JOINS };
bool state_wait_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o);
void state_on_semaphore(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_on_named(struct state *s, unsigned t, const struct op *o);
void state_on_condition(const struct program *p, struct state *s, unsigned t, const struct op *o);
void condition_left(struct state *s, unsigned t); /* without a signal */
void state_on_barrier(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_on_once(struct state *s, unsigned t);

/* model_futex.c */
bool state_futex_allows(const struct state *s, unsigned t, const struct op *o);
void state_on_futex(const struct program *p, struct state *s, unsigned t, const struct op *o);
void futex_left(struct state *s, unsigned t);

/* model_channels.c */
bool state_channel_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o);
bool state_flock_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o);
void state_on_channel(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_on_signal(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_on_flock(const struct program *p, struct state *s, unsigned t, const struct op *o);
bool channel_is_ready(const struct state *s, unsigned channel);

/* model_descriptors.c: timers, epoll, numbers */
bool state_descriptor_allows(const struct program *p, const struct state *s, unsigned t, const struct op *o);
void state_on_descriptor(const struct program *p, struct state *s, unsigned t, const struct op *o);

/* model_destroyed.c */
bool uses_destroyed(const struct program *p, const struct state *s, unsigned t, const struct op *o);
void state_on_destruction(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_made(struct state *s, const struct op *o); /* by its initialization it is there again */

void state_on_heap(const struct program *p, struct state *s, unsigned t, const struct op *o);

/* model_sent.c: signals with a handler, and cancellation */
bool is_sent(const struct program *p);
bool has_cancel(const struct program *p);
/* The thread takes a signal, or a cancellation, in place of its next step. */
bool state_takes(const struct program *p, const struct state *s, unsigned t);
void state_take(const struct program *p, struct state *s, unsigned t);
bool state_sent_allows(const struct state *s, unsigned t, const struct op *o);
bool state_sent_local(const struct program *p, const struct state *s, unsigned t, const struct op *o); /* no step */
void state_on_sent(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_handler(const struct program *p, struct state *s, unsigned t); /* it runs */
void state_cleanup(const struct program *p, struct state *s, unsigned t);
/* The thread ends in the middle, with this for who joins it. */
void state_leaves(struct state *s, unsigned t, uint8_t retval);
/* A call that a handler may interrupt: one may also run before it. True: that is this step. */
bool state_before_call(const struct program *p, struct state *s, unsigned t);

#endif
