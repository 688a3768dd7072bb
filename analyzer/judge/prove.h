/* SPDX-License-Identifier: MIT
 *
 * Repairs are explored: the program runs again, in all schedules, with the blocks in force.
 */
#ifndef LINCHPIN_JUDGE_PROVE_H
#define LINCHPIN_JUDGE_PROVE_H

#include "base/util.h"
#include "repair/blocks.h"
#include "repair/closure.h"

struct analysis;
struct ranked_repair;
struct run;

enum proof {
	PROOF_NONE,    /* not tried, or not possible */
	PROOF_HOLDS,   /* every class of the client was seen, and nothing is wrong */
	PROOF_BOUNDED, /* nothing was wrong as far as the search went */
	PROOF_FAILS,
};

/* An exploration with blocks in force. */
struct attempt {
	enum proof result;
	uint64_t classes;
	double seconds;
	bool stuck; /* threads wait for ever, which they did not without the blocks */
	char *why;  /* PROOF_NONE: why not; NULL: it was not asked for */
	/* The executions that complete in force are those that complete without, but for those that the
	 * blocks exclude. If their numbers differ, linchpin is wrong. */
	bool predicted, surprising;
	uint64_t completed, expected;
	/* What was found, and the run: of a failure, and just after prove_attempt, unless it could not explore. */
	struct analysis *found;
	struct run *run;
	char *directory;
};

struct proof_of_repair {
	struct attempt atomic;
	struct closed closed; /* what a lock has to hold */
	bool closure;         /* that is known */
	struct attempt lock;
	bool asked; /* it was to be explored; else that is the reason why not, in both meanings */
};

struct proofs {
	struct proof_of_repair *list; /* of all repairs, in their order; those after the first ones are not asked */
	uint32_t n;
	uint32_t rounds; /* explorations with blocks in force until the list of repairs was final */
	struct attempt *failed; /* those that led to other repairs: they are part of these */
	uint32_t nfailed, failed_capacity;
};

struct prove_options {
	uint64_t most; /* repairs to prove; 0: none */
	/* Takes all the time of the run. Otherwise not much more than the search without blocks took: a
	 * lock around single lines can have very many more classes. */
	bool patient;
	const char *specification;
	/* Computes the repairs again after more has been added to the ranking; -1 and *e. */
	int (*rank)(void *data, struct error *e);
	void *data;
};

/* Proves the repairs of an analysis in the time that the run was given. */
void prove_repairs(struct analysis *a, const struct prove_options *options, struct proofs *p);
/* Of repairs that share a rank, those come first that hold in both meanings, as far as it is known; a repair
 * that was made larger may rule out more than one behind it. Repairs and their proofs change places. */
void proofs_order(struct proofs *p, struct ranked_repair *repairs);
void proofs_free(struct proofs *p);

/* One exploration: `enforce` is atomic or lock. `seconds`: bound on its time; 0: none. */
void prove_attempt(const struct analysis *a, const char *specification, const struct repair *r,
		   const char *enforce, double seconds, struct attempt *attempt);
void attempt_free(struct attempt *attempt);

#endif
