/* SPDX-License-Identifier: MIT
 *
 * race/ finds data races. It includes base/, format/, run/, source/ and repair/.
 *
 * A data race: two accesses of overlapping memory by two threads, one of them a write, one of them not
 * atomic, that synchronization does not order (C11, 5.1.2.4).
 */
#ifndef LINCHPIN_RACE_RACE_H
#define LINCHPIN_RACE_RACE_H

#include "run/trace.h"
#include "source/map.h"

/* What is looked for. */
enum race_options {
	RACES = 1,
	RACES_UNCERTAIN = 2,   /* also accesses of which machine code does not tell whether they are atomic,
				* or whether the program makes them */
	RACES_NO_VOLATILE = 4, /* accesses of volatile variables are taken for atomic */
};

struct race {
	uint32_t first, second; /* events of the trace, in its order */
	const char *places;     /* equal for equal races: "f.c:3 f.c:7"; it lives as long as the finder */
};

struct race_finder;

/* The run and the map must outlive it. `options`: of enum race_options. Free it. */
struct race_finder *race_finder_new(const struct run *run, struct srcmap *map, unsigned options);
void race_finder_free(struct race_finder *f);

/* The races of a trace, each pair of places once, *n of them; valid until the next call. */
const struct race *races_of(struct race_finder *f, const struct trace *t, uint32_t *n);
/* Pairs of places so far that are races if machine code means plain accesses, and were left out. */
uint32_t races_left_out(const struct race_finder *f);

/* The events of an equivalent execution that has the race's accesses one right after the other, if that is
 * possible (*adjacent); else those of the trace. Free it. */
uint32_t *race_order(const struct trace *t, const struct race *r, bool *adjacent);

/* Makes the race the outcome of the trace: thread and site of the second access; as those who wait
 * (LP_WAIT_NOTHING) both accesses with the location, and the locks that each thread held
 * (LP_WAIT_HELD). */
void race_outcome(struct trace *t, const struct race *r);

#endif
