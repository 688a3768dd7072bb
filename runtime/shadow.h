/* SPDX-License-Identifier: MIT
 *
 * Who touched what last in this execution.
 */
#ifndef LP_SHADOW_H
#define LP_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

void shadow_init(void);

/* Takes back what was entered of events from log index n on. Returns how many events are entered:
 * n, or 0 if nothing could be kept. */
uint32_t shadow_keep(uint32_t n);

/* Enters an access of event `index` and lists the latest conflicting event of each other thread in
 * conflicts[], latest first, adding to the *n that are there. With index NO_EVENT nothing is
 * entered. */
void shadow_access(uint64_t addr, uint64_t size, uint8_t access, uint32_t index, uint8_t thread,
		   uint32_t *conflicts, unsigned *n);

/* All accesses that later ones may conflict with: which of the 8 bytes at 8 * key, how, by which event. Those to very
 * much memory come last, each with a key that says to which. */
void shadow_each(void (*f)(uint64_t key, unsigned mask, unsigned access, uint32_t index));

#endif
