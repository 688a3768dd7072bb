/* SPDX-License-Identifier: MIT
 *
 * Virtual time, in microseconds since the execution began.
 */
#ifndef LP_CLOCK_H
#define LP_CLOCK_H

#include "interpose.h"

/* That of the running fiber, without looking at the clock for the program. */
uint64_t time_now(void);

/* The fiber's time goes on to there; in a sleep, or because it computes. */
static inline void fiber_comes_to(struct fiber *f, uint64_t then, bool sleeping)
{
	if (then <= f->now)
		return;
	if (!sleeping)
		f->busy += then - f->now;
	f->now = then;
}

/* One of processor time, of a thread or process that there is. */
bool clock_of_processor(clockid_t clock);

/* The one way in which it goes on otherwise than by steps: to this moment, and timers that are set to one before
 * it run out in their turn. False: one of them has sent something that the fiber is to take now; time has come
 * to there. */
bool time_goes_on(uint64_t then);

/* The latter is so much later; and a moment as the program is told of it. */
uint64_t time_after(uint64_t now, const struct timespec *length);
struct timespec moment(uint64_t us);

/* sleep.c: 0, or -1 and EINTR. */
int sleeps_until(uint64_t then);

/* A point in time; false if it is before the execution began. */
bool time_of(const struct timespec *t, uint64_t *us);

#endif
