/* SPDX-License-Identifier: MIT
 *
 * Classes of which the same can be said.
 */
#ifndef LP_ALIKE_H
#define LP_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

void alike_init(void);

/* Of the execution that has just ended: equal for two classes if they have the same operations with the
 * same values, with `order` also each of these must come before the same others, and end in the same way;
 * or only end in the same way. */
uint64_t alike_key(bool order);
uint64_t alike_end(void);

/* The same of one that goes on, up to now; with or without the order of operations. */
uint64_t alike_past(bool order);

/* After that: how many of the thread's calls, creations and joins happen before what knows so many of its
 * steps. */
uint32_t alike_known(unsigned thread, uint32_t steps);

#endif
