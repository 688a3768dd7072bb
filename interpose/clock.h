/* SPDX-License-Identifier: MIT
 *
 * Virtual time, in microseconds since the execution began.
 */
#ifndef LP_CLOCK_H
#define LP_CLOCK_H

#include "interpose.h"

/* That of the running fiber, without looking at the clock for the program. */
uint64_t time_now(void);
void time_passes(uint64_t us);

/* A point in time; false if it is before the execution began. */
bool time_of(const struct timespec *t, uint64_t *us);

#endif
