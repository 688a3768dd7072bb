/* SPDX-License-Identifier: MIT
 *
 * Loops that threads are in for ever: which, since when, for what, and who could end them.
 */
#ifndef LINCHPIN_REPORT_SPIN_H
#define LINCHPIN_REPORT_SPIN_H

#include "run/trace.h"
#include "source/map.h"

/* What the loop only reads, if it waits; otherwise what it writes. */
struct spin_variable {
	uint32_t location;
	bool known; /* its value */
	uint64_t value;
	uint32_t size;
	uint32_t written; /* index of the last event that changed it; NONE: nobody did */
};

#define SPIN_VARIABLES 16

struct spin {
	uint32_t thread;
	const struct source_frame *frame; /* in the function that has the loop; may be NULL */
	uint32_t first, last;             /* lines of the loop; 0: not known */
	bool waits;                       /* or it changes memory for ever */
	uint32_t since;                   /* index of its first event there; NONE: not recorded */
	struct spin_variable variables[SPIN_VARIABLES];
	uint32_t nvariables;
};

/* The loop of the thread of waiter number `waiter`, which is the first of that thread and spins. */
void spin_find(struct spin *s, struct srcmap *m, const struct run *run, const struct trace *t,
	       uint32_t waiter);

/* Is this waiter the first of a thread that spins? */
bool spin_begins(const struct outcome *o, uint32_t waiter);

/* Do all threads that spin wait? */
bool spins_only_wait(const struct run *run, const struct outcome *o);

/* "T0.1 spins on lines 12-14 of lock since event 17, waiting for a change of taken", or "T0.1 goes round on lines 3-5 of
 * toggle, changing flag". Free it. */
char *spin_text(struct srcmap *m, const struct run *run, const struct trace *t, const struct spin *s);
/* "taken = 1: last changed by T0.2 at lock.c:9 (event 11: update taken 0 -> 1)". Free it. */
char *spin_variable_text(struct srcmap *m, const struct run *run, const struct trace *t,
			 const struct spin *s, const struct spin_variable *v);

#endif
