/* SPDX-License-Identifier: MIT
 *
 * What is checked of an execution that goes on from a state, beside what it does from there.
 */
#ifndef LP_PAST_H
#define LP_PAST_H

#include <stdint.h>

/* At a choice: equal if the same can be said, in the end, of executions that go on alike. */
uint64_t past_hash(void);

#endif
