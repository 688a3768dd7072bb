/* SPDX-License-Identifier: MIT
 *
 * Is a class of equivalent executions linearizable? Decided from one recorded member, for all
 * members at once.
 */
#ifndef LINCHPIN_JUDGE_CLASS_H
#define LINCHPIN_JUDGE_CLASS_H

#include "lin/lin.h"
#include "run/trace.h"

#define LIN_CLASS_ARRANGEMENTS 100000 /* default bound on the histories checked for one class */

struct lin_class_options {
	struct lin_options lin;
	bool outcome; /* compare with sequential runs: order between threads does not count */
	uint64_t max_arrangements; /* 0: LIN_CLASS_ARRANGEMENTS */
	/* Names an object for messages (a location id); NULL: "object N". The result is copied. */
	const char *(*object_name)(void *data, uint32_t location);
	void *data;
};

struct lin_class_result {
	enum lin_verdict verdict; /* LIN_UNKNOWN: see `limited`, else lin_check did not know */
	bool limited;             /* the bound on arrangements was reached without a violation */
	uint64_t arrangements;    /* histories looked at when this abstract class was first met */
	/* On a violation: the events of the trace, all of them, as a schedule of the same class
	 * (program order and conflicts kept) in which the history is not linearizable; with
	 * `outcome` it is the order of the trace. Otherwise NULL. Valid until the next check. */
	const uint32_t *schedule;
};

struct lin_class;
struct self;

/* The run gives names and specifications; it must outlive the checker. */
struct lin_class *lin_class_new(const struct run *run, const struct lin_class_options *options);
void lin_class_free(struct lin_class *c);
/* For objects with the specification `self`; before the first of them is checked. It must outlive
 * the checker. */
void lin_class_use_self(struct lin_class *c, struct self *self);

/* 0, or -1 and *e if the history cannot be checked at all (see lin_check). Classes that agree in
 * operations, values and what order their conflicts force share one verdict, which is
 * remembered. */
int lin_class_check(struct lin_class *c, const struct trace *t, struct lin_class_result *result,
		    struct error *e);

/* The history of the trace when its events run in the order `schedule` (NULL: as recorded):
 * operation i is t->ops[i], times are positions in the order. Guesses that were right are its
 * specifications with `words`, for witnesses and reports. Initialises *h; free it with history_free.
 */
void lin_class_history(struct lin_class *c, bool words, const struct trace *t,
		       const uint32_t *schedule, struct history *h);

/* Nothing is known of the latest of these histories: an operation in it returned that never does
 * when operations run one at a time. */
bool lin_class_unknown(const struct lin_class *c);

#endif
