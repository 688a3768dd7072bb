/* SPDX-License-Identifier: MIT
 *
 * What the rest of the runtime calls of load-time instrumentation.
 */
#ifndef LP_LOAD_H
#define LP_LOAD_H

#include <stdbool.h>
#include <stdint.h>

void instrument_prepare(void); /* finds modules and functions */
void instrument_apply(void);   /* writes and enters the copies */
void instrument_report(void);  /* the file `uninstrumented` of the run directory */
/* A library was loaded in an execution, for the first time (fresh) or again; the one in [lo, hi)
 * was unmapped; the execution is over, and all of them are gone. */
struct dl_phdr_info;
void instrument_late(const struct dl_phdr_info *info, bool relocates_text, bool fresh);
void instrument_closed(uint64_t lo, uint64_t hi);
void instrument_rollback(void);
uint64_t instrument_original(uint64_t pc); /* of an address in a copy; any other as it is */
uint64_t instrument_trap(uint64_t pc);     /* where a trap at pc leads, 0: not ours */

struct fiber;
void instrument_fiber_reset(struct fiber *f);
/* Brings f->context up to date with the frames that are above sp on the stack. */
void instrument_context(struct fiber *f, uint64_t sp);
/* extended.c: vector and floating-point state. Of a fiber that stops at a site, and goes on: */
void extended_save(struct fiber *f);
void extended_restore(struct fiber *f);
/* of one that stops in a call and goes on, or begins: */
void extended_left_in_call(void);
void extended_back_in_call(void);
void extended_begin(void);      /* of an execution */
void vectors_copy(uint8_t *to); /* xmm0..15; 256 bytes */

#endif
