/* SPDX-License-Identifier: MIT
 *
 * What other threads have touched of a thread's own memory.
 */
#ifndef LP_SHARE_H
#define LP_SHARE_H

#include "fiber.h"

/* Has another fiber been seen in this range of f's stack: anywhere, or at `all` of it? */
bool stack_is_shared(const struct fiber *f, uintptr_t addr, size_t size, bool all);

/* One is: the exploration begins again with the range visible. Does not return. */
void stack_share(struct fiber *owner, uintptr_t addr, size_t size);

/* The shared ranges of the i-th thread's stack, as offsets, one by one, beginning with *hi = 0;
 * false after the last. And makes one of them. */
bool stack_shared_range(unsigned i, uint64_t *lo, uint64_t *hi);
void stack_share_range(unsigned i, uint64_t lo, uint64_t hi);

/* The same of memory that may be thread-local: can others see this access of the running fiber? */
bool tls_visible(uintptr_t addr, size_t size);

#endif
