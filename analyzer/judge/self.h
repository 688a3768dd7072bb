/* SPDX-License-Identifier: MIT
 *
 * The specification `self`: what the structure does when operations run one at a time. The program
 * of a run is executed with its operations in every order that its threads allow; what is seen is
 * what other executions are allowed to show.
 *
 * Specifications that were guessed from names are judged by it, too. A guess is believed only if it
 * allows what was seen, and even then what was seen decides, if all of it was: an execution with
 * the results of a sequential one is not wrong.
 */
#ifndef LINCHPIN_JUDGE_SELF_H
#define LINCHPIN_JUDGE_SELF_H

#include "lin/orders.h"
#include "run/trace.h"

struct self;

/* Is that the specification's name? NULL is none. */
bool self_named(const char *specification);

/* Does an object of the run, or `specification` (may be NULL), name it, or a guess? Objects become
 * known as the run is read. */
bool self_wanted(const struct run *run, const char *specification);

enum self_extent {
	SELF_RECORDED, /* what is recorded */
	SELF_BRIEF,    /* what is recorded; if nothing is, a few seconds' worth is made */
	SELF_WHOLE,    /* all, made if need be, within the bounds of the run */
};

/* The sequential executions in RUNDIR/self. NULL and *e on failure; free it with self_free. */
struct self *self_open(const struct run *run, enum self_extent extent, struct error *e);
void self_free(struct self *s);

/* Have all sequential executions been seen? Otherwise what was not seen may still be allowed. */
bool self_complete(const struct self *s);
uint64_t self_executions(const struct self *s);

const struct orders *self_orders(const struct self *s);
/* The number in these orders of an object (a location of any run of the same program), and the
 * symbol of an operation. */
uint32_t self_object(struct self *s, const struct run *run, uint32_t location);
uint32_t self_symbol(struct self *s, const struct run *run, const struct operation *op);

/* Does the operation return if no other one runs at the same time? False if it always waits then,
 * like one that meets a partner. */
bool self_returns(struct self *s, const struct run *run, const struct operation *op);
/* Has some sequential execution shown this result of the operation, with whatever arguments? */
bool self_shows_result(struct self *s, const struct run *run, const struct operation *op);
/* The names of operations that do not, by number; NULL if there are no more. */
const char *self_waiting(const struct self *s, uint32_t i);

/* What to check an object with whose declared specification is this text (may be NULL): another
 * text if it is a guess. In `words`, what says best why something is wrong. */
const char *self_specification(const struct self *s, const char *declared, bool words);

/* A guess of the run, by number; false if there are no more. */
struct self_guess {
	const char *specification; /* without the mark of a guess */
	bool agreed;               /* sequential executions obey it */
	uint64_t executions;       /* that it was compared with */
	bool used;                 /* it decides, because not all sequential executions were seen */
};
bool self_guess(const struct self *s, uint32_t i, struct self_guess *guess);

/* A sequential execution that a specification of the run that is no guess does not allow: why, to
 * free; NULL if there is none. */
char *self_contradiction(const struct self *s, const char *specification);

#endif
