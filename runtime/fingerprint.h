/* SPDX-License-Identifier: MIT
 *
 * The state of an execution as a number.
 */
#ifndef LP_FINGERPRINT_H
#define LP_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;

/* For strategies that ask for it (strategy.h): f has announced an event, and stops. */
void fingerprint_stop(struct fiber *f);

/* At a choice: adds up the state to *sum; false if parts of it are not known. */
bool fingerprint(uint64_t *sum);

#endif
