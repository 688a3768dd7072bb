/* SPDX-License-Identifier: MIT
 *
 * Virtual time, in microseconds since the execution began.
 */
#ifndef LP_CLOCK_H
#define LP_CLOCK_H

#include "interpose.h"

#define EPOCH_SECONDS 2000000000L /* after the stamps of all files that are there */

/* That of the running fiber, without looking at the clock for the program. */
uint64_t time_now(void);

/* What the counter of the processor says, which the program looks at: nanoseconds. */
uint64_t clock_ticks(void);

/* The fiber's time goes on to there; in a sleep, or because it computes. */
static inline void fiber_comes_to(struct fiber *f, uint64_t then, bool sleeping)
{
	if (then <= f->now)
		return;
	if (!sleeping) {
		f->busy += then - f->now;
		f->computed += then - f->now;
	}
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

/* child_time.c: what the clocks of a child of fork say, and what a stamp of a file that was written since the run began is
 * there. A moment on that clock for a call that waits for real: in a child another one. */
void time_in_child(void);
struct timespec child_now(void);
struct timespec child_stamp(struct timespec stamp);
const struct timespec *child_until(clockid_t clock, const struct timespec *t, struct timespec *room);
#define real_until(clock, t) child_until((clock), (t), &(struct timespec){ 0 })
/* The setting of a timer to a moment there: its length. */
const struct itimerspec *child_timer(const struct itimerspec *t, struct itimerspec *room);

/* A point in time; false if it is before the execution began. */
bool time_of(const struct timespec *t, uint64_t *us);

#endif
