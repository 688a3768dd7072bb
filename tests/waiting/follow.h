/* SPDX-License-Identifier: MIT
 *
 * A recorded execution, step by step in the checker's semantics.
 */
#ifndef TEST_WAITING_FOLLOW_H
#define TEST_WAITING_FOLLOW_H

#include "checker.h"
#include "run/trace.h"

/* Does every access of the trace (thread, variable, values) as the program's next one, and gives
 * the state that it leads to. False, and why, if the program cannot do that. */
bool follow(const struct program *p, const struct run *run, const struct trace *t, struct state *s,
	    char *why, size_t size);

/* The variable at a location, or -1. */
int variable_at(const struct program *p, const struct run *run, uint32_t location);

/* The program's number of a thread of the trace, or -1 for main. */
int thread_number(const struct run *run, uint32_t thread);

#endif
