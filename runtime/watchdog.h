/* SPDX-License-Identifier: MIT
 *
 * The watchdog: a real thread that sleeps and wakes. It enforces the bound on time, and interrupts
 * an execution that has had no event for long.
 */
#ifndef LP_WATCHDOG_H
#define LP_WATCHDOG_H

#define WATCHDOG_SIGNAL 61

/* What rt->hung says. Time that other processes take, or in which this one is stopped, is not
 * counted. */
enum hung {
	HUNG_NOT = 0,
	HUNG_COMPUTES, /* for HUNG_SECONDS of processor time */
	HUNG_BLOCKED,  /* in a system call, for as long */
	HUNG_LATE,     /* time is up */
};
#define HUNG_SECONDS 3

/* How long the execution in which time is up may still go on. */
#define LATE_SECONDS 0.3

void watchdog_start(void);
double seconds_now(void); /* monotonic, real */

#endif
