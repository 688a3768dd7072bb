/* SPDX-License-Identifier: MIT
 *
 * One part of a search that several processes share (LINCHPIN_PART, format/run_dir.h): units of an
 * exhaustive search, which are subtrees, or a range of the executions of a random one. What is
 * left at the end, and what was found above the units, is handed back in RUNDIR/left.
 */
#ifndef LP_PART_H
#define LP_PART_H

#include <stdbool.h>
#include <stdint.h>

struct strategy;
struct text;

/* A step of the way to a unit, and which threads come before this one in the state before it: their
 * subtrees are those of other units. */
struct part_step {
	uint64_t before;
	uint8_t thread;
};

struct unit {
	const struct part_step *way;
	uint32_t n;
};

struct portion {
	uint64_t budget; /* executions */
	uint64_t first;  /* of a random search: so many of its executions come before */
	bool draws;      /* it is a range of a random search */
	bool shows;      /* the program's output */
	struct unit *units;
	uint32_t nunits, now;
	const char **given; /* livelocks that other parts have seen, as text */
	uint32_t livelocks;
};

/* The part that this process explores; NULL: it explores all, and what follows does nothing. */
extern struct portion *part;

/* Reads LINCHPIN_PART; opens the files that are handed back. */
void part_read(void);
void part_open(void);

/* Those livelocks are to be recorded. */
void part_give_livelocks(void);

/* How this part, or all, is explored. */
const struct strategy *part_strategy(void);

/* The class that has just been recorded; equal classes have equal keys. */
void part_key(uint64_t key);

/* RUNDIR/left as far as it was written; there is room for 256 bytes more. */
struct text *part_text(void);

/* The search has ended: adds what is left of the running unit (search/part.c). */
void part_write_rest(void);

/* All else was written: RUNDIR/left is there from now on. */
void part_whole(void);

#endif
