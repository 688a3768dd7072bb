/* SPDX-License-Identifier: MIT
 *
 * Fibers that repeat themselves until somebody writes.
 */
#ifndef LP_SPIN_H
#define LP_SPIN_H

#include "event.h"

#include <stdbool.h>

struct spin {
	uint64_t pc, sp, regs[6], addr, expected, tls;
	uint32_t anchor; /* log index at the anchor */
	uint32_t last;   /* last event of the loop when it was found to spin */
	uint32_t reads;  /* events since the last one that wrote */
	uint32_t next;   /* take a new anchor when `reads` gets there */
	uint32_t copied; /* bytes of stack kept */
	uint8_t full;    /* at a site of instrumentation: all registers are compared */
	uint8_t guess;   /* taken for a spin loop by its length only */
};

struct fiber;

/* Does f, which has announced its next event, repeat itself? Then it waits for a write. */
bool spin_check(struct fiber *f);

/* Event e has written: who spins on what it wrote goes on. */
void spin_wake(const struct event *e);

/* Nobody else can run: those that were taken for spinning by length only go on. False if there are
 * none. */
bool spin_release_guesses(void);

#endif
