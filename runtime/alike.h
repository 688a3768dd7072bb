/* SPDX-License-Identifier: MIT
 *
 * Classes of which the same can be said.
 */
#ifndef LP_ALIKE_H
#define LP_ALIKE_H

#include <stdint.h>

void alike_init(void);

/* Of the execution that has just ended: equal for two classes if they have the same operations with the
 * same values, each of which must come before the same others, and end in the same way. */
uint64_t alike_key(void);

#endif
