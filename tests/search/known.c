/* SPDX-License-Identifier: MIT */
#include "known.h"

#include <string.h>

static const struct known {
	struct program program;
	struct op ops[MOST_THREADS][MOST_OPS]; /* main also creates all others before, and joins them in the end */
} list[] = {
	/* A lock is made anew while a thread waits for it, which could have had it first. */
	{ { .nthreads = 4 },
	  { { { OP_YIELD, 0, 0 } },
	    { { OP_MUTEX_LOCK, 0, 0 } },
	    { { OP_MUTEX_LOCK, 0, 0 } },
	    { { OP_MUTEX_INIT, 0, 0 } } } },
	{ { .nthreads = 4 },
	  { { { OP_YIELD, 0, 0 } },
	    { { OP_RW_WRITE, 0, 0 } },
	    { { OP_RW_READ, 0, 0 } },
	    { { OP_RW_INIT, 0, 0 } } } },
	/* A stream is locked by a thread that has ended when the process flushes it. */
	{ { .nthreads = 2 }, { { { OP_LOAD, 0, 0 } }, { { OP_STREAM_LOCK, 0, 0 }, { OP_FETCH_ADD, 0, 0 } } } },
	/* A signal comes while its thread waits for a condition, and while it waits for a thread. */
	{ { .nthreads = 3, .mutex_type = { 0, 2 }, .restarts = 1 },
	  { { { OP_MUTEX_LOCK, 0, 0 }, { OP_COND_WAIT, 0, 0 } },
	    { { OP_COND_BROADCAST, 0, 1 } },
	    { { OP_KILL, 0, 0 }, { OP_KILL, 1, 1 } } } },
	{ { .nthreads = 3, .restarts = 1 },
	  { { { OP_YIELD, 0, 0 } }, { { OP_FETCH_ADD, 0, 0 } }, { { OP_KILL, 0, 0 } } } },
	/* One that comes before the call is no reason for it not to wait. */
	{ { .nthreads = 2 }, { { { OP_KILL, 1, 0 } }, { { OP_PAUSE, 0, 0 } } } },
	{ { .nthreads = 2 }, { { { OP_KILL, 1, 0 }, { OP_SEM_POST, 0, 0 } }, { { OP_SEM_WAIT, 0, 0 } } } },
	/* One that comes behind the last step of its thread. */
	{ { .nthreads = 2 },
	  { { { OP_LOAD, 0, 0 }, { OP_KILL, 1, 0 }, { OP_LOAD, 1, 0 } }, { { OP_STORE, 0, 1 } } } },
	/* A handler runs while its thread waits at a barrier, and in the queue of a futex. */
	{ { .nthreads = 3 }, { { { OP_KILL, 1, 0 } }, { { OP_BARRIER_WAIT, 0, 0 } }, { { OP_BARRIER_WAIT, 0, 0 } } } },
	{ { .nthreads = 3, .restarts = 1 },
	  { { { OP_KILL, 1, 0 } },
	    { { OP_FUTEX_WAIT, 0, 0 } },
	    { { OP_FUTEX_SET, 0, 1 }, { OP_FUTEX_WAKE, 0, 1 } } } },
	/* Who runs a handler instead does not depend yet on what its own next step depends on. */
	{ { .nthreads = 4, .mutex_type = { ROBUST, 0 }, .writers_first = 1 },
	  { { { OP_FETCH_ADD, 0, 0 } }, { { OP_RAISE, 1, 1 }, { OP_FETCH_ADD, 0, 0 } }, { { OP_KILL, 0, 1 } } } },
	/* Others can come between a step and what is sent next. */
	{ { .nthreads = 3 }, { { { 0 } }, { { OP_FLOCK, 1, 0 }, { OP_CANCEL, 2, 0 } }, { { OP_FLOCK, 0, 0 } } } },
	/* Cancelled where it is about to say that it may not be. */
	{ { .nthreads = 3 },
	  { { { OP_LOAD, 1, 0 } },
	    { { OP_CANCEL_TYPE, 0, 1 }, { OP_STORE, 0, 1 }, { OP_CANCEL_STATE, 0, 1 }, { OP_LOAD, 0, 0 } },
	    { { OP_CANCEL, 1, 0 } } } },
	/* Which thread is the last to end is no matter of the search. */
	{ { .nthreads = 3 }, { { { OP_LEAVE_IF, 0, 0 } }, { { OP_FENCE, 0, 0 } }, { { OP_FENCE, 0, 0 } } } },
	/* A number gets a pipe, and is closed, before another thread begins to close it, or behind that. */
	{ { .nthreads = 3 },
	  { { { OP_NUMBER_CLOSE, 1, 0 } },
	    { { OP_NUMBER_PIPE, 0, 0 } },
	    { { OP_COND_INIT, 0, 0 }, { OP_NUMBER_CLOSE, 1, 0 } } } },
	/* One thread sets an alarm, another stops it. */
	{ { .nthreads = 3, .restarts = 1 },
	  { { { OP_YIELD, 0, 0 } }, { { OP_ALARM, 0, 1 }, { OP_PAUSE, 0, 0 } }, { { OP_ALARM, 0, 0 } } } },
	/* Whether a write that nobody sees changes anything depends on an order that is not looked at. */
	{ { .nthreads = 4 },
	  { { { OP_END, 0, 0 } },
	    { { OP_STORE, 0, 0 }, { OP_STORE, 0, 2 } },
	    { { OP_STORE, 0, 1 }, { OP_STORE, 1, 1 } },
	    { { OP_LOAD, 1, 2 }, { OP_STORE, 0, 1 }, { OP_LOAD, 0, 2 } } } },
	/* Who does not hold the mutex cannot say that it is consistent. */
	{ { .nthreads = 3, .mutex_type = { ROBUST, 0 } },
	  { { { OP_YIELD, 0, 0 } },
	    { { OP_MUTEX_LOCK, 0, 0 } },
	    { { OP_MUTEX_CONSISTENT, 0, 0 }, { OP_MUTEX_LOCK, 0, 0 }, { OP_MUTEX_CONSISTENT, 0, 0 } } } },
};

static void add(struct program *p, unsigned t, struct op o)
{
	p->ops[t][p->n[t]++] = o;
}

bool known_program(struct program *p, uint64_t i)
{
	const struct known *k = list;

	if (i >= sizeof list / sizeof *list)
		return false;
	k += i;
	*p = k->program;
	p->quarantine = 1;
	for (uint8_t t = 1; t < p->nthreads; t++)
		add(p, 0, (struct op){ OP_CREATE, t, 0 });
	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned n = 0; k->ops[t][n].what != OP_END; n++)
			add(p, t, k->ops[t][n]);
	for (uint8_t t = 1; t < p->nthreads; t++)
		add(p, 0, (struct op){ OP_JOIN, t, 0 });
	return true;
}
