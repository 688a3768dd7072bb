/* SPDX-License-Identifier: MIT
 *
 * A history made ready for checking: operations resolved against their specifications, values
 * turned into words, and everything split into *parts* (one object, or one key of one object) that
 * can be checked by themselves, because linearizability is compositional.
 *
 * Event order: by time; at the same time calls come before returns (intervals are closed), and
 * otherwise the order in the history decides.
 */
#ifndef LINCHPIN_LIN_PROBLEM_H
#define LINCHPIN_LIN_PROBLEM_H

#include "lin/adt.h"
#include "lin/lin.h"

/* A parsed specification text: NAME(PARAMETERS) relaxed OPERATIONS. */
struct lin_spec {
	const struct adt *adt;
	int64_t parameters[ADT_MAX_PARAMETERS];
	int nparameters;
	bool saw_empty;      /* some result of the object is "nothing" */
	bool relaxed_try;    /* every operation whose name starts with "try" may fail spuriously */
	const char *relaxed; /* the names after "relaxed", in the text; NULL if there are none */
	struct plugin_pool *pool; /* states of a user specification; NULL for built-in ones */
};

struct lin_part {
	const struct lin_problem *problem;
	const struct lin_spec *spec;
	struct lin_op *ops; /* in the order of their calls */
	uint32_t nops;
	uint32_t *events; /* 2 * position in ops, + 1 for a return; in order */
	uint32_t nevents;
	uint32_t npending; /* operations that never returned */
	uint32_t nany;     /* operations without a known result, pending ones included */
	uint32_t object;
};

/* Memory for a check: first a buffer on the caller's stack, then malloc; freed all at once. */
struct arena {
	char *at, *end;
	struct arena_block {
		struct arena_block *next;
	} * blocks;
};

void *large_alloc(size_t size); /* malloc, with large pages where it is worth it; for free() */
void *arena_alloc(struct arena *a, size_t size); /* aligned to 8; not zeroed */
void arena_free(struct arena *a);

struct lin_problem {
	const struct history *history;
	struct arena *arena;
	struct lin_spec *specs; /* one an object */
	struct lin_op *ops;
	int64_t *more; /* arguments 3 and 4 by index in history->ops, NULL if nobody has them */
	uint32_t *events;
	struct lin_part *parts;
	uint32_t nparts, nspecs;
	uint32_t nops; /* without dropped ones (relaxed failures, pending observers) */
};

/* 0, or -1 and *e. by_key: what is compositional by key is split by key. The arena must outlive the
 * problem. */
int problem_build(struct lin_problem *p, const struct history *h, const struct lin_options *o,
		  bool by_key, struct arena *a, struct error *e);

void problem_free(struct lin_problem *p); /* what is not in the arena */

/*
 * The part without the operations whose keep[] is false, made in the arena; with a cut, only events
 * before that position, and operations that have not returned there never do.
 */
void part_subset(const struct lin_part *part, const bool *keep, uint32_t cut, struct arena *a,
		 struct lin_part *out);

/* Third (i = 2) and fourth (i = 3) argument. */
static inline int64_t op_more(const struct state *s, const struct lin_op *op, int i)
{
	return s->problem->more[2 * (size_t)op->id + (size_t)(i - 2)];
}

/* Parses a specification text. 0, or -1 and *e. */
int spec_parse(struct lin_spec *spec, const char *text, const struct history *h, struct error *e);
/* May the operation of this name fail spuriously? */
bool spec_relaxed(const struct lin_spec *spec, const char *method);

/* Sorts by key; keys with the same value keep their order. */
struct time_key {
	int64_t time;
	uint32_t index;
	uint32_t part; /* not looked at by sort_times */
};
void sort_times(struct time_key *keys, uint32_t n);

#endif
