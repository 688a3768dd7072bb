/* SPDX-License-Identifier: MIT
 *
 * The first pass over the classes of a run, one class at a time: of a run that is finished
 * (analysis.c), or of one that still grows (follow.c).
 */
#ifndef LINCHPIN_JUDGE_PASS_H
#define LINCHPIN_JUDGE_PASS_H

#include "base/numbering.h"
#include "judge/ahead.h"
#include "judge/analysis.h"
#include "judge/judge.h"
#include "judge/wrong.h"

struct pass {
	struct analysis *a;
	const struct analysis_options *options;
	struct judge judge;      /* no classes: nothing is judged */
	struct ahead *ahead;     /* other processes; NULL: there are none */
	bool asked_ahead;        /* they were begun, if they are worth while */
	struct numbering plain;  /* history lines */
	struct numbering judged; /* the same behind "ok " or "bad " */
	struct numbering keys;   /* of findings; by_key has their numbers */
	size_t *by_key;
	size_t by_key_capacity;
	struct race_finder *racing; /* NULL: not needed yet */
	struct numbering races;     /* places */
	struct known_race {
		size_t finding;
		bool adjacent; /* the schedule has its accesses one right after the other */
		bool suppressed;
	} * known_races;       /* by number of the places */
	size_t races_capacity;
};

/* Makes both empty. Without a->ranking nothing is noted for repairs. */
void pass_begin(struct pass *p, struct analysis *a, struct run *run,
		const struct analysis_options *options);
/* Judges the class and adds what is found to p->a. After the end of the phase (base/budget.h) only
 * how the execution ended counts, but for the first classes and that of the options. 0, or -1 and *e. */
int pass_class(struct pass *p, struct trace *t, struct error *e);
/* From now on no other process judges classes. */
void pass_alone(struct pass *p);
/* A class that was judged, and is wrong, for repairs that began anew. */
enum repairable pass_again(struct pass *p, struct trace *t);
/* A class that ended early, once it is known what other threads would have done next (judge/beyond.h). */
void pass_beyond(struct pass *p, struct trace *t);
void pass_free(struct pass *p);

#endif
