/* SPDX-License-Identifier: MIT
 *
 * The entries of an outcome in the trace (format/trace_format.h).
 */
#ifndef LP_WAITERS_H
#define LP_WAITERS_H

#include <stdint.h>

struct waiter {
	uint32_t thread, site, location, holder; /* ids + 1, 0 unknown; thread as it is */
	uint8_t why;
};

/* Threads among `waiting` that hold what a blocked thread waits for. */
uint64_t waiters_holders(uint64_t waiting);

/* Fills the list; how many there are. */
unsigned waiters_find(struct waiter *list, unsigned most);

#endif
