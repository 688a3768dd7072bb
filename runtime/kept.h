/* SPDX-License-Identifier: MIT
 *
 * Which classes are recorded (LINCHPIN_KEEP).
 */
#ifndef LP_KEPT_H
#define LP_KEPT_H

#include <stdbool.h>
#include <stdint.h>

void kept_init(uint64_t room); /* room: 0, or that of a random search (kept.c), for a test */
void kept_forget(void);

/* Is the class of the execution that has just ended to be recorded? If not, it is counted here. */
bool kept_class(uint64_t hash);

#endif
