/* SPDX-License-Identifier: MIT
 *
 * Loops that make no events, once the watchdog has met one.
 */
#ifndef LP_SPINNING_H
#define LP_SPINNING_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* An execution begins. */
void spinning_reset(void);

/* In the watchdog's signal: the running fiber, interrupted here, has computed for long, and nobody else can go on. True: it
 * goes on for now, step by step. */
bool spinning_begin(ucontext_t *uc);

/* In the signal after each of these steps, and the first of the runtime's own. True: this is the place of the loop. */
bool spinning_stepped(ucontext_t *uc);

/* An access of the running fiber, alone, while rt->minding. */
void spinning_look(void);

#endif
