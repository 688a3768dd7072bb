/* SPDX-License-Identifier: MIT
 *
 * What other threads have touched of a thread's own memory.
 */
#ifndef LP_SHARE_H
#define LP_SHARE_H

#include "event.h"
#include "fiber.h"

/* Has another fiber been seen in this range of f's stack: anywhere, or at `all` of it? */
bool stack_is_shared(const struct fiber *f, uintptr_t addr, size_t size, bool all);

/* One is: the exploration begins again with the range visible. Does not return. */
void stack_share(struct fiber *owner, uintptr_t addr, size_t size);

/* The event may be on a lock or the like that is on another thread's stack: that is seen there, too, for it
 * is gone when its thread has ended. */
void stack_object(const struct event *e);

/* The shared ranges of the i-th thread's stack, as offsets, one by one, beginning with *hi = 0;
 * false after the last. And makes one of them. */
bool stack_shared_range(unsigned i, uint64_t *lo, uint64_t *hi);
void stack_share_range(unsigned i, uint64_t lo, uint64_t hi);

/* The same of memory that may be thread-local: can others see this access of the running fiber? */
bool tls_visible(uintptr_t addr, size_t size);

/* The running fiber has nothing more to do. What it has on its stack is given back, unless it is main, whose stack
 * stays, or the program has given the stack. Where others were seen there, that is a step, whose place is the thread's function.
 * Thread-local storage is left as it is: to read a variable of a thread that has ended is not defined either, but
 * libraries keep lists of them, and it is there until the thread is joined. */
void share_ends(void);

/* Is this memory of another thread that has ended, which was the runtime's to give? */
bool share_ended(uintptr_t addr);

#endif
