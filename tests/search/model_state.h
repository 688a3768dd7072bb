/* SPDX-License-Identifier: MIT
 *
 * A state of a program (ops.h) in the model, and its steps. A state has no padding, so it can be
 * compared and hashed as bytes.
 */
#ifndef TEST_SEARCH_MODEL_STATE_H
#define TEST_SEARCH_MODEL_STATE_H

#include "ops.h"

#define MOST_BLOCKS 16
#define MOST_NAMED  8
#define MOST_NUMBERS 40

enum life { NOT_CREATED = 0, RUNS, ENDED };
enum robust { CONSISTENT = 0, DIED, LOST };
enum ending { LOCKS_FIRST = 1, CLEANS_UP, GONE }; /* before its time */

struct state {
	struct record record; /* what came of it so far */
	uint8_t life[MOST_THREADS], pc[MOST_THREADS], phase[MOST_THREADS];
	uint8_t joined[MOST_THREADS], retval[MOST_THREADS];
	uint8_t register_[MOST_THREADS]; /* between the steps of one operation */
	uint8_t owner[2], count[2];      /* mutexes: thread + 1, how often */
	uint8_t held[2][MOST_THREADS];   /* what a thread believes */
	uint8_t robust[2];
	uint8_t writer, readers, coming, rheld[MOST_THREADS];
	uint8_t spin, spin_held[MOST_THREADS];
	uint8_t stream, stream_count;
	uint8_t flock[MOST_THREADS]; /* 1: shared, 2: for all */
	uint8_t sem;
	uint8_t named, nnamed; /* the one of that name + 1 */
	uint8_t named_value[MOST_NAMED], opened[MOST_THREADS];
	uint8_t queued, released; /* threads, as bits: they wait for a signal, or will wake */
	uint8_t signals[MOST_THREADS], nsignals, saved[MOST_THREADS]; /* each: who it may wake */
	uint8_t spurious[MOST_THREADS];
	uint8_t arrived, left[MOST_THREADS];
	uint8_t once;
	uint8_t value[2], memory[MEMORIES], futex[2];
	uint8_t queue[2][MOST_THREADS], nqueue[2], woken[MOST_THREADS], mask[MOST_THREADS];
	uint8_t published; /* block + 1 */
	uint8_t nblocks, content[MOST_BLOCKS], freed[MOST_BLOCKS], large[MOST_BLOCKS];
	uint8_t grown[MOST_THREADS]; /* block + 1 that takes the place of another */
	uint8_t free_list[MOST_THREADS][MOST_BLOCKS], nfree[MOST_THREADS];
	uint8_t pipe[MOST_THREADS * MOST_OPS], npipe, closed, event;
	uint8_t pending[2]; /* of thread 0, of the process */
	uint8_t killed[MOST_THREADS], masked[MOST_THREADS];
	uint8_t handling[MOST_THREADS];    /* the handler is about to run */
	uint8_t interrupted[MOST_THREADS]; /* the operation fails then */
	uint8_t cancelled[MOST_THREADS], cancel_off[MOST_THREADS], cancel_async[MOST_THREADS];
	uint8_t ending[MOST_THREADS];
	uint8_t order[MOST_THREADS], ncreated; /* threads as they were created */
	uint8_t gone; /* objects that were destroyed, as bits; see model_destroyed.c */
	uint8_t timer_set, timer_out;
	uint8_t alarm_set, alarmed; /* its signal is for the main thread */
	uint8_t suspended[MOST_THREADS]; /* the mask before */
	uint8_t watched[2];           /* by epoll: enum watched */
	uint8_t number[MOST_NUMBERS]; /* descriptors: it is open */
	uint8_t over; /* the process has ended */
};

void state_start(const struct program *p, struct state *s);

/* The threads that can do a step, as bits; 0 if the execution is at its end. */
uint8_t state_enabled(const struct program *p, const struct state *s);

/* Nobody can: does a timer run out, so that it goes on? */
bool state_time(const struct program *p, struct state *s);

/* Thread t does a step. */
void state_step(const struct program *p, struct state *s, unsigned t);

#endif
