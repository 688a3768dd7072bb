/* SPDX-License-Identifier: MIT
 *
 * Blocks in force: lines of a program that are executed as if they were atomic. The analyzer finds
 * their code and writes it to a file, RUNDIR/blocks, which LINCHPIN_BLOCKS names; the runtime reads
 * it. Both decide by the same function here whether control stays in a block.
 *
 * FILE
 *
 * Lines of words separated by one blank; numbers are decimal, addresses hexadecimal.
 *
 *	blocks 2                                       the version
 *	module N PATH                                  0 is the program, others are its libraries; to
 *	                                               the end of the line
 *	block N FILE:FUNCTION:FIRST-LAST               N from 0; to the end of the line, for people
 *	code N COPY AROUND MODULE START END LOOP STATEMENT LINE UNTIL COLUMN [PART LINE UNTIL COLUMN]...
 *
 *	N         the block that this code belongs to
 *	COPY      the function itself or one of its inlined copies, a number for each
 *	AROUND    1: there is a loop around the block in the function whose code this is, also the one
 *	          into which the copy was inlined; 0: control comes to the block once in each call
 *	START END addresses as linked; END is behind the last byte
 *	LOOP      the widest loop that is around this code and inside the block, a number for each
 *	          loop; 0: none
 *	STATEMENT a number for each execution of a statement, as far as the compiler has copied it; 0:
 *	          not known
 *	LINE      of the code, in the function of the block, and UNTIL the last line if it is known
 *	          only from here to there; else the same. COLUMN of LINE, 0: unknown
 *	PART      then for each function that is inlined there, outermost first: a number for the
 *	          inlined copy, and the place in it
 *
 * All lines of a block come after its `block` line, and after all `module` lines.
 *
 * WHAT A BLOCK IS
 *
 * An instance of a block is a call of its function (or an inlined copy of it) that is at the lines
 * of the block. What it calls belongs to it. Two events of a thread that follow each other are
 * *glued* if there is an instance that both belong to, and control did not leave it between them. A
 * *step* is a sequence of events each of which is glued to the one before. Nothing is glued across
 * the call or return of an operation.
 *
 *	atomic   a step is executed as a whole. A thread that would have to wait inside, for a lock
 *	         for example, is not enabled
 *	lock     a lock is taken before the first event of a step, and released after the last
 *
 * Whether control has left the block is seen from where the events are: forwards in the text is
 * straight on, backwards needs a loop. Inside the block, that is no leaving. The same place at another
 * address is the next round of a loop that was unrolled, but for the two halves of an update, and where
 * the compiler tells that it is the same statement.
 */
#ifndef LP_BLOCKS_H
#define LP_BLOCKS_H

#include "trace_format.h"

#include <stdbool.h>
#include <stdint.h>

#define LP_BLOCKS_VERSION 2
#define LP_BLOCKS_MOST    256 /* blocks of a file */
#define LP_BLOCK_PARTS    4   /* functions inlined into each other; deeper ones are cut off */

/* What blocks in force mean: LINCHPIN_ENFORCE, --enforce, and `enforce` in the run directory. */
enum lp_enforce { LP_ENFORCE_ATOMIC = 0, LP_ENFORCE_LOCK };
#define LP_ENFORCE_NAMES   "atomic", "lock"
#define LP_ENFORCE_CHOICES "atomic|lock"

struct lp_block_code {
	uint32_t block, copy, module;
	bool around;
	uint64_t start, end;
	uint32_t loop, statement;
	uint32_t nparts; /* at least 1 */
	struct lp_block_part {
		uint32_t part; /* of the first 0 */
		uint32_t line, until, column;
	} parts[LP_BLOCK_PARTS];
};

/* Is place b further on in the text than a, in one activation? Addresses put places on one line in
 * order. rounds: the same place at another address is the next round of a loop. */
static inline bool lp_block_ahead(const struct lp_block_part *a, uint64_t address_a,
				  const struct lp_block_part *b, uint64_t address_b, bool rounds)
{
	if (b->line > a->until)
		return true;
	if (rounds && a->line == b->line && a->column == b->column)
		return false;
	return b->until >= a->line && address_b > address_a;
}

/* The same of pieces of code: in the innermost function that both are in. one: the two events can be
 * of one instruction or statement. */
static inline bool lp_block_forwards(const struct lp_block_code *a, uint64_t address_a,
				     const struct lp_block_code *b, uint64_t address_b, bool one)
{
	uint32_t i = 0;
	bool alike;

	while (i + 1 < a->nparts && i + 1 < b->nparts && a->parts[i + 1].part == b->parts[i + 1].part)
		i++;
	alike = (i + 1 < a->nparts) == (i + 1 < b->nparts);
	if (i + 1 == a->nparts && i + 1 == b->nparts && a->statement && a->statement == b->statement)
		one = true;
	return lp_block_ahead(&a->parts[i], address_a, &b->parts[i], address_b, alike && !one);
}

/* Control was at address_a, in the code a of a block, and is then, in the same call, at address_b, in
 * the code b. Did it stay in the block? */
static inline bool lp_block_stays(const struct lp_block_code *a, uint64_t address_a,
				  const struct lp_block_code *b, uint64_t address_b, bool one)
{
	if (a->block != b->block || a->copy != b->copy)
		return false;
	if (a->loop && a->loop == b->loop)
		return true;
	return !a->around || lp_block_forwards(a, address_a, b, address_b, one);
}

/* Two events of a thread that follow each other at one address: can they be of one instruction or
 * call, rather than of two? */
static inline bool lp_block_one_call(unsigned first, unsigned second)
{
	switch (first) {
	case LP_EV_READ:
		return second == LP_EV_WRITE;
	case LP_EV_WAIT:
		return second == LP_EV_WAKE || second == LP_EV_TIMEOUT || second == LP_EV_WOKEN;
	case LP_EV_WAKE:
	case LP_EV_TIMEOUT:
		return second == LP_EV_LOCK;
	case LP_EV_BARRIER:
		return second == LP_EV_BARRIER_LEAVE;
	default:
		return false;
	}
}

#endif
