/* SPDX-License-Identifier: MIT
 *
 * The stack of the thread at fault, for the analyzer to unwind.
 */
#ifndef LP_STACK_H
#define LP_STACK_H

#include "outcome.h"

#include <ucontext.h>

/* Those of a signal's context. The pc is the instruction itself. */
void stack_of_signal(const ucontext_t *uc);

/* Those with which the program called the running hook. The pc is in the call. */
void stack_of_hook(void);

void stacks_init(void);

/* A record of the stack at the end of this execution, unless there is an equal one: its id + 1, or 0
 * if there is nothing to unwind. */
uint32_t stack_intern(void);

/* The trace begins again. */
void stacks_forget(void);

#endif
