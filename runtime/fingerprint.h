/* SPDX-License-Identifier: MIT
 *
 * The state of an execution as a number.
 */
#ifndef LP_FINGERPRINT_H
#define LP_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;
struct state_sum;

/* For strategies that ask for it (strategy.h): f stops, before a step that it has announced, or in one that
 * it has made. */
void fingerprint_stop(struct fiber *f, bool announced);

/* Arguments of the latest call of a function of the runtime; hooks.S puts them here. At an instrumented
 * access all registers are known. */
struct kept_arguments {
	uint64_t registers[6];
	uint64_t fresh; /* no step was made since */
};
extern struct kept_arguments kept_arguments;

/* Is all that threads have come to inside functions of the runtime known? */
bool fingerprint_is_whole(void);

/* At a choice: the state; false if parts of it are not known. */
bool fingerprint(struct state_sum *sum);

#endif
