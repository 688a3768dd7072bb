/* SPDX-License-Identifier: MIT
 *
 * judge/ decides what a run shows: is each class allowed, does a violation happen again, is the
 * search complete? It includes base/, format/, run/, source/, repair/, launch/ and lin/.
 *
 * What is known about a run when all its classes have been checked: the pipeline from traces to
 * findings and repairs.
 */
#ifndef LINCHPIN_JUDGE_ANALYSIS_H
#define LINCHPIN_JUDGE_ANALYSIS_H

#include "cover/cover.h"
#include "judge/prove.h"
#include "judge/replay.h"
#include "judge/unlisted.h"
#include "repair/closure.h"
#include "repair/nesting.h"
#include "repair/rank.h"
#include "race/race.h"
#include "race/suppress.h"
#include "run/trace.h"
#include "source/map.h"

enum replayed {
	/* it was not asked for, or is not possible: analysis->replay_error says why */
	REPLAY_NOT_DONE,
	REPLAY_SAME,      /* the schedule was executed again and showed the same */
	REPLAY_DIFFERENT, /* it was executed again and did not */
};

/* One violation: all classes that show the same one. */
struct finding {
	/* results that the specification does not allow; else the execution ended with an error */
	bool is_history;
	uint8_t outcome; /* enum lp_outcome: how the execution ends */
	uint64_t class
		; /* the first class that shows it; of those with a repair, if there are any */
	uint64_t classes; /* how many do */
	char *schedule;   /* an execution that shows it */
	char *shorter;    /* the same with fewer switches, until it was executed; NULL: none */
	/* the schedule is that of the class's record, so `linchpin replay DIR CLASS` shows it */
	bool as_recorded;
	char *history;   /* history_line of the execution */
	char *end;       /* end_line of it */
	char *why;       /* why the history is not allowed, one sentence; or NULL */
	bool repairable; /* atomic blocks exclude the class */
	size_t leak;      /* of a leak: its number in their order, from 1; else 0 */
	bool serial;     /* it also ends so with operations one at a time */
	enum replayed replayed;
	uint64_t replay_class; /* the class of analysis->replay.run that showed it again */
};

struct analysis_options {
	const char *check;         /* "lin", "outcome", "none" */
	const char *specification; /* for objects without one; may be NULL */
	bool replay;
	uint64_t prove; /* repairs to explore again; 0: none */
	bool patient;   /* in all the time of the run, see prove_options */
	/* Of a run with blocks in force: only what is wrong is of interest, and sequential executions of
	 * the program, which belong to the caller, are there already (or NULL). */
	bool nested;
	struct self *self;
	uint64_t sought; /* a class that is judged however little time there is; 0: none */
	unsigned races;  /* enum race_options; 0: they are not looked for */
	const struct suppressions *suppressions; /* of races; may be NULL */
	bool leaks;      /* they are findings */
	bool smaller;    /* look for a smaller client */
	bool coverage;   /* what the exploration has tried */
	uint64_t jobs;   /* processes that judge classes; 0 and 1: this one does */
};

struct analysis {
	struct run *run;
	const char *check; /* as in the options */
	uint64_t classes;
	uint64_t unjudged;        /* classes for which there was no time */
	uint64_t histories;       /* different history lines */
	uint64_t operations;      /* over all classes */
	uint64_t nonlinearizable; /* classes with a history that the specification does not allow */
	uint64_t unknown;         /* classes for which the check gave up */
	uint64_t outcomes[LP_OUT_COUNT]; /* classes by the end of the execution */
	char **history_lines;            /* sorted: "ok LINE" or "bad LINE" */
	size_t nhistory_lines;
	/* histories first, then executions that ended with an error, each in the order of their
	 * classes */
	struct finding *findings;
	size_t nfindings, findings_capacity;
	bool leaks;              /* they were asked for */
	unsigned races;          /* enum race_options */
	size_t nraces, nleaks;   /* of the findings */
	uint32_t races_left_out; /* that may be none */
	uint32_t races_suppressed;
	bool no_operations; /* for repairs it is as if there were none: they give no results, or see `several` */
	uint64_t right;     /* classes with nothing wrong, of which repairs exclude some */
	uint64_t counted;   /* of them, those that were compared with the repairs */
	struct ranking *ranking;
	struct beyond *beyond; /* what other threads would have done after an early end */
	const struct ranking_result
		*repairs; /* NULL if no class is wrong, or no block is a repair */
	/* Which locks are taken while others are held, and circles in which threads waited for them. */
	struct nestings *nestings;
	struct lock_circle *circles;
	uint32_t ncircles, circles_capacity;
	bool without_gate; /* of one of them: no block is around a nesting */
	uint64_t ends_analysed;
	uint64_t unanalysed;   /* classes that are wrong and for which no repair was looked for */
	uint64_t unrepairable; /* classes that are wrong and that no atomic block excludes */
	uint64_t valid_to;     /* nothing is wrong with the classes up to this one */
	uint8_t *valid;        /* a bit for each behind it: nothing is wrong with it */
	size_t valid_capacity; /* bytes */
	struct closure *closure; /* what locks have to hold */
	struct proofs proofs;
	struct coverage *cover;                 /* NULL: nobody asked */
	const struct coverage_result *coverage; /* of it */
	char *smaller; /* the argument of a smaller client that fails in the same way; NULL */
	struct replay replay;
	struct error replay_error; /* why nothing was executed again; empty: no reason */
	struct srcmap *map;        /* of the run */
	/* Sequential executions. NULL: no object has the specification `self`, and nothing is
	 * wrong. */
	struct self *self;
	bool self_borrowed;
	bool results; /* an operation has given one */
	bool brief;   /* only some were made, to see whether operations are wrong one at a time */
	char *alone;  /* they are: why; or NULL */
	bool serial;  /* an execution ends badly with operations one at a time, and no block that holds several excludes it */
	bool several; /* an execution ends so, and blocks may hold several operations */
	uint32_t thread_operations[LP_MAX_THREADS]; /* of each thread, the most in one class */
	uint32_t *called;                           /* names of operations that were, string ids */
	uint32_t ncalled, called_capacity;
	struct unlisted unlisted;
};

/* Analyses all classes of the run, which must outlive the analysis. 0, or -1 and *e; a trace that
 * is broken somewhere is an error. Free *a with analysis_free in both cases. */
int analysis_run(struct run *run, const struct analysis_options *options, struct analysis *a,
		 struct error *e);
void analysis_free(struct analysis *a);

/* Reads the execution that shows a finding into *t: as it was executed again, or else the record of
 * its class. *run is the run whose tables it refers to. -1 and *e if it cannot be read. */
int analysis_load(const struct analysis *a, const struct finding *f, struct trace *t,
		  struct run **run, struct error *e);

/* The findings that are about the order of statements: all but races and leaks. */
static inline size_t analysis_ordered(const struct analysis *a)
{
	return a->nfindings - a->nraces - a->nleaks;
}

static inline bool analysis_is_valid(const struct analysis *a, uint64_t class)
{
	const uint64_t bit = class - a->valid_to;

	return class <= a->valid_to || (bit / 8 < a->valid_capacity && a->valid[bit / 8] >> bit % 8 & 1);
}

/* Was the search finished, and every class judged? */
bool analysis_complete(const struct analysis *a);

/* Is there a violation? A finding that a replay did not show again is none. */
bool analysis_has_violation(const struct analysis *a);

#endif
