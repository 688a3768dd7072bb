/* SPDX-License-Identifier: MIT
 *
 * The program's malloc.
 */
#ifndef LP_HEAP_H
#define LP_HEAP_H

#include "event.h"
#include "places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void heap_init(void);
void heap_window(unsigned thread); /* where its blocks are: it is there from now on */
void heap_checkpoint(void);
void heap_rollback(bool data); /* without data: the memory was a child's */

/* Adds up what is in it to *sum; false if it is too much. */
bool heap_hash(uint64_t *sum);

/* NULL: there is no room. */
void *heap_alloc(size_t size, size_t align, bool clear, const struct call_place *from);

/* All of a block that has `size` usable bytes, into one that was allocated just now. */
void heap_copy(void *to, const void *from, size_t size);

/* Ends the execution if it is not a live block, or if something was written past its end. */
void heap_free(void *p, const struct call_place *from);

/* Makes a live block smaller where it is; false if that is not possible. */
bool heap_resize(void *p, size_t size);

bool heap_live(const void *p); /* the start of a block that is not free */

/* The bytes that may be used; 0: not a live block's start. */
size_t heap_size(const void *p);

/* The live or freed block around or before an address of the heap: names it; false if there is
 * none. */
bool heap_name(uintptr_t addr, uint64_t *name, uint64_t *base);

/* As an event has it: of a larger block, the first 4 GiB. */
static inline uint32_t event_size(size_t size)
{
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX - 1; /* who reads traces keeps UINT32_MAX */
}

/* Which list of freed blocks is at this address (reuse.h), by the most bytes of its blocks, 0 for
 * large ones; false if none. */
bool heap_list(uintptr_t addr, uint64_t *most);

static inline bool in_heap(uintptr_t addr)
{
	return addr - HEAP_BASE < (MAX_FIBERS + 1) * HEAP_WINDOW;
}

#endif
