/* SPDX-License-Identifier: MIT
 *
 * Which freed blocks are given to which thread.
 */
#ifndef LP_REUSE_H
#define LP_REUSE_H

#include "heap.h"

struct block;

/* The running thread allocates a block of this class of sizes; it has freed one that `owner` had
 * allocated. When such a block could be given to a third thread, the exploration begins again, with
 * a list of such blocks that is common to all threads. */
void reuse_allocates(unsigned class);
void reuse_frees(unsigned class, unsigned owner);

/* Are freed blocks of this class given to any thread? Then each such allocation and free is a step on
 * the list of them. */
bool reuse_common(unsigned class);

/* The step, of who allocates or frees; *filled is 1 if there are blocks in the list, else 0. */
void reuse_take(const uint8_t *filled, const struct call_place *from);
void reuse_give(const uint8_t *filled, const struct call_place *from);

void reuse_reset(void); /* before an execution */
uint64_t reuse_hash(void); /* what was seen in this one, as a part of its state */

/* The running fiber is given this block, which is free, for so many bytes. That is a step, in whatever way it is
 * reused, for who still uses the block may do so before. Where the block is then. */
struct block *reuse_begins(struct block *b, size_t size, const struct call_place *from);

#endif
