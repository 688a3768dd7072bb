/* SPDX-License-Identifier: MIT
 *
 * The blocks of the heap, for those who look for errors in their use.
 *
 * Behind the bytes that the program has asked for are some that are nobody's, filled with a pattern.
 * An access that is an event is found there when it happens (memory_errors.c). What was written by
 * code whose accesses are not seen is found when the block is freed, or when the execution ends.
 */
#ifndef LP_BLOCK_H
#define LP_BLOCK_H

#include "base.h"
#include "heap.h"

#define GAP_LEAST 16 /* bytes behind a block */
#define GAP_FILLED 32 /* of them with the pattern, at most */

struct block {
	uintptr_t base;
	size_t size;  /* with the bytes behind it */
	size_t asked; /* that the program may use */
	uint64_t name; /* allocating thread << 32 | number */
	uint64_t next; /* next free block: window << 32 | index */
	struct call_place allocated, released; /* the latest; released is of no use before */
	uint8_t freed;
	uint8_t reached; /* leaks.c */
};

/* What a block of so many usable bytes takes. */
static inline size_t block_room(size_t asked)
{
	return round_up(asked + GAP_LEAST, 16);
}

/* Around an address; the live one that begins there; the last one that begins before. NULL if there
 * is none. */
struct block *block_find(uintptr_t addr);
struct block *block_live(const void *p);
struct block *block_before(uintptr_t addr);

/* The blocks of all threads, one after the other, from NULL to NULL. */
struct block *block_next(const struct block *b);
uint32_t blocks_count(void); /* all of them, and those outside of executions */

/* It was there before the first execution. */
bool block_kept(const struct block *b);

/* Calls f for the addresses of all live blocks that no execution has made. */
void blocks_outside(void (*f)(uintptr_t addr));

/* From now on so many bytes are the program's. */
void block_resize(struct block *b, size_t asked);

/* Ends the execution if something has been written behind the block, which is about to be freed. */
void block_check(const struct block *b, const struct call_place *from);

#endif
