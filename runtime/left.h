/* SPDX-License-Identifier: MIT
 *
 * A test of what the runtime leaves below the program's stack pointer (own_stack.h).
 */
#ifndef LP_LEFT_H
#define LP_LEFT_H

struct fiber;

/* The running fiber has announced an event. Ends the process with a message if there is something else than there was in
 * the execution before. */
void left_look(struct fiber *f);

#endif
