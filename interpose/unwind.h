/* SPDX-License-Identifier: MIT
 *
 * What a thread leaves when it ends before its function returns.
 */
#ifndef LP_UNWIND_H
#define LP_UNWIND_H

#include "interpose.h"

/* An initialiser that runs; on the stack of its thread. */
struct once_running {
	pthread_once_t *once;
	uint64_t pc; /* where it was called */
	struct once_running *outer;
};
void once_abandoned(void);

/* The running fiber ends with this result: destructors of what is on its stack, and cleanup handlers. */
int i_pthread_setcanceltype(int type, int *old); /* sending.c */

void end_thread(void *retval) __attribute__((noreturn));

#endif
