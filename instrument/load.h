/* SPDX-License-Identifier: MIT
 *
 * What is behind the table of runtime/services.h.
 */
#ifndef LP_LOAD_H
#define LP_LOAD_H

#include "../runtime/frame_view.h"

#include <stdbool.h>

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

void instrument_fiber_begins(unsigned id);

const struct frame_view *frame_view_before(uint64_t pc);
const struct frame_view *frame_view_return(uint64_t pc);
void poison_dead(void); /* poison.c; of the running fiber, at a step */
/* See struct instrumentation. */
void instrument_registers(const void *site, const uint64_t *entry, uint64_t *to);
uint64_t instrument_some_registers(const void *site, const uint64_t *entry, uint32_t set);
uint32_t instrument_live(const void *site);

#endif
