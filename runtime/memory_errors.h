/* SPDX-License-Identifier: MIT
 *
 * Errors in the use of heap blocks, and of the memory of threads that have ended.
 */
#ifndef LP_MEMORY_ERRORS_H
#define LP_MEMORY_ERRORS_H

#include "event.h"
#include "heap.h"

/* Names the block of an event whose address is in the heap. What is wrong with it, and the outcome;
 * NULL if nothing is. */
const char *memory_error(struct event *e, unsigned *kind);

/* The same of an event whose address is on a stack. */
const char *memory_of_ended(const struct event *e, unsigned *kind);

/* Has another thread made a step about what is there, that does not happen before what the running one does now? */
bool used_by_others(uint64_t lo, uint64_t hi);

/* Its function has returned: a limit if threads may still use what it had on its stack. */
void memory_main_returned(void);

/* The running fiber accesses this memory while no access is an event: ends the execution if it is
 * freed, or behind a block. */
void memory_look(uint64_t addr, uint64_t pc);

/* Ends the execution because p, which is not a live block, was to be freed. */
void end_bad_free(const void *p, const struct call_place *from) __attribute__((noreturn));

/* All is over: ends the execution if something was written behind a block. */
void blocks_check(void);

/* Where the block around or before an address was allocated and, if it is free, freed: how many
 * places (at most 2). */
unsigned memory_places(uint64_t addr, struct call_place *places);

/* Does such an event touch the memory at its address? */
bool event_touches(unsigned kind, unsigned flags);

#endif
