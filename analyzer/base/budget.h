/* SPDX-License-Identifier: MIT
 *
 * When the command has to come to its end: --max-time, or a signal that asks for it. What is still to
 * be done then is left out, and the report says so. There is one budget, that of the process.
 */
#ifndef LINCHPIN_BASE_BUDGET_H
#define LINCHPIN_BASE_BUDGET_H

#include <signal.h>
#include <stdbool.h>

/* So many seconds are left from now on; 0: no bound. */
void budget_start(double seconds);

/* From now on signals that ask to stop, SIGINT, SIGTERM and the like, leave one more second instead of ending the
 * process. Those that the process was started to ignore are none. */
void budget_signals(void);
void budget_signals_add(sigset_t *set); /* these signals */

/* The same as if such a signal had come. */
void budget_ask(void);

/* Seconds until the end: less than 0 if it is over, INFINITY if there is no bound. */
double budget_left(void);

/* Like budget_left(), of a part: a phase may take this share (0 to 1) of what is left now. The time at
 * which it must be over, for budget_passed(). */
double budget_until(double share);
bool budget_passed(double until);

/* What is done until budget_phase(INFINITY) should be over at this time, and asks now and then whether
 * it is. */
void budget_phase(double until);
bool budget_phase_over(void);

#endif
