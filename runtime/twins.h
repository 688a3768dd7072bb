/* SPDX-License-Identifier: MIT
 *
 * Threads that nothing tells apart: which of them does what does not matter (--equivalence=symmetry).
 */
#ifndef LP_TWINS_H
#define LP_TWINS_H

#include "state.h"

/* The running fiber has made f, which is ready to begin: now, or after the first step of its twin. */
void twins_created(struct fiber *f);

/* f has made its first step. */
void twins_stepped(struct fiber *f);

/* Nobody else can go on: those that have not begun do. False: there are none. */
bool twins_begin(void);

/* The running fiber has joined f; `asked`: for its result. */
void twins_joined(struct fiber *f, bool asked);

/* An execution has ended. */
void twins_ended(void);

/* Something tells twins apart: all again, with each order. */
void twins_differ(void);

/* Is told what no twin may be told: which of them it is. */
static inline void twin_asks(const struct fiber *f)
{
	if (UNLIKELY(f->twins.first))
		twins_differ();
}

#endif
