/* SPDX-License-Identifier: MIT
 *
 * What a debugger needs to stand at an event (debugger/linchpin_gdb.py is the other side): it
 * writes the number of an event to debug_at of the state, sets a breakpoint on linchpin_stop(), and
 * finds itself there just before that event is done. With need_again set the execution is begun again
 * at its next step.
 */
#ifndef LP_DEBUG_H
#define LP_DEBUG_H

#include "state.h"

/* A debugger traces this process. */
bool debugger_attached(void);

/* Called at an event that a debugger waits for; before the first execution with 0. */
void linchpin_stop(uint32_t number);

/* Called where an execution ends with an error. */
void linchpin_end(void);

void debug_stop(void);
void debug_end(unsigned kind); /* enum lp_outcome */

/* The latest event of the log, e, is about to be done. */
static inline struct event *debug_event(struct event *e)
{
	if (UNLIKELY(rt->n == rt->debug_at))
		debug_stop();
	return e;
}

#endif
