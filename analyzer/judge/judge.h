/* SPDX-License-Identifier: MIT
 *
 * Verdicts about one execution, on top of those about classes: as it happened, in words, and as a
 * schedule.
 */
#ifndef LINCHPIN_JUDGE_JUDGE_H
#define LINCHPIN_JUDGE_JUDGE_H

#include "judge/class.h"

struct judge {
	const struct run *run;
	struct lin_options lin;
	bool outcome; /* compare results with sequential runs, without regard to real-time order */
	struct lin_class *classes;
	struct self *self; /* NULL: none */
};

/* `check` is "lin" or "outcome"; `specification` is used for objects without one; may be NULL. The
 * run must outlive it. */
void judge_init(struct judge *j, const struct run *run, const char *check,
		const char *specification);
void judge_free(struct judge *j);
/* Sequential runs for the specification `self`; before a judgement of an object that has it. */
void judge_use_self(struct judge *j, struct self *self);

/* Is the execution allowed, its operations in the order that they had? 0 and *verdict; -1 and *e if
 * its history cannot be checked. */
int judge_execution(struct judge *j, const struct trace *t, enum lin_verdict *verdict,
		    struct error *e);

/* Why the history of the trace, its events in this order, is not allowed: one sentence to free, or
 * NULL. */
char *judge_why(struct judge *j, const struct trace *t, const uint32_t *order);

/* The history of the trace as it was recorded, with what a picture of it needs: the witness, and the
 * longest order. Free both; -1: there is none. */
int judge_history(struct judge *j, const struct trace *t, struct history *h,
		  struct lin_result *result);

/* The events of the trace in this order as the text of a schedule; free it. */
char *judge_schedule(const struct judge *j, const struct trace *t, const uint32_t *order);

#endif
