/* SPDX-License-Identifier: MIT
 *
 * Carriers: for who looks with a debugger, each fiber may run on a thread of the system of its own (LINCHPIN_TLS=threads), the one
 * whose storage it has (donors.c). One of them runs at a time and hands over to the next, so an execution is the same
 * as on one thread. Fiber 0 is on the main thread, where the root is as well.
 */
#ifndef LP_CARRIERS_H
#define LP_CARRIERS_H

#include "fiber.h"

void carriers_init(void);

/* What the thread of fiber i does: at its beginning, and then for ever. */
void carrier_begin(unsigned i);
void carrier_run(unsigned i) __attribute__((noreturn));

/* The running fiber stops; another goes on, on its own thread. */
void carrier_switch(struct fiber *from, const struct fiber *to);

/* An execution has ended: from its last fiber to the root, and there: all others have left their stacks. */
void carrier_to_root(const struct fiber *from) __attribute__((noreturn));
void carriers_gather(void);

#endif
