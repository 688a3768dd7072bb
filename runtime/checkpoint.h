/* SPDX-License-Identifier: MIT
 *
 * The program's memory as it was before the first execution.
 */
#ifndef LP_CHECKPOINT_H
#define LP_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

void checkpoint_take(void);

/* Takes back what the execution has done. Without `data` only what the runtime knows of it: the
 * memory was a child's. */
void checkpoint_rollback(bool data);

/* Adds up what the memory that it restores has become to *sum; false if it is too much. */
bool checkpoint_hash(uint64_t *sum);

/* Calls f for each part of the memory that it restores, but for threads. */
void checkpoint_each(void (*f)(uintptr_t lo, uintptr_t hi));

/* [lo, hi) is rolled back, too. */
void checkpoint_add(uintptr_t lo, uintptr_t hi);

/* The same, where whoever writes there says so: it is rolled back only if *changed, which is false then. */
void checkpoint_add_marked(uintptr_t lo, uintptr_t hi, bool *changed);

/* The same of a mapping; if zeroes: pages that are dropped read as zeroes. */
void checkpoint_add_mapping(uintptr_t lo, uintptr_t hi, bool zeroes);

/* The loader's own state: what of [lo, hi) is not yet part of the checkpoint. It is rolled back only
 * if rt->loaded. */
void checkpoint_add_loader(uintptr_t lo, uintptr_t hi);

/* Code of this library. */
extern void *lp_text_lo, *lp_text_hi;
bool in_runtime_text(uintptr_t pc);

#endif
