/* SPDX-License-Identifier: MIT
 *
 * The orders in which the operations of one class of executions can follow each other in real time.
 */
#ifndef LINCHPIN_JUDGE_ARRANGE_H
#define LINCHPIN_JUDGE_ARRANGE_H

#include "repair/order.h"

/* The operations of a trace by thread, and what they wait for. Threads without operations are left
 * out. */
struct arrange {
	uint32_t nops, nthreads;
	uint32_t *ops;      /* the n-th operation here is t->ops[ops[n]] */
	uint32_t *position; /* and the other way round */
	/* thread u has operations start[u] .. start[u + 1], in the order of their calls
	 * (arrange_calls) or returns (arrange_returns) */
	uint32_t *start;
	bool *returned;
	/* needs[n * nthreads + u]: operations of thread u, the first ones, that must have been
	 * called when the n-th operation returns (arrange_calls), or must have returned when it is
	 * called (arrange_returns). */
	uint32_t *needs;
	uint32_t *clocks;
	size_t clock_capacity;
	uint32_t op_capacity, thread_capacity;
};

/* Zero-initialise *a before the first use; its buffers are reused. `o` is the order of the trace,
 * conflicts included or (an order of the trace with no event's access) not. */
void arrange_calls(struct arrange *a, const struct trace *t, const struct order *o);
void arrange_returns(struct arrange *a, const struct trace *t, const struct order *o);
void arrange_free(struct arrange *a);

enum visit {
	VISIT_ON,   /* go on */
	VISIT_CUT,  /* there is nothing to find below this one */
	VISIT_STOP, /* end the enumeration */
};

/*
 * An arrangement, by position: an operation precedes another iff its `ret` is less than the other's
 * `call`. NO_TIME: not called or not returned. `whole` is false for the beginning of arrangements,
 * which a caller may cut.
 */
typedef enum visit arrange_visitor(void *data, const uint64_t *call, const uint64_t *ret,
				   bool whole);

/* Not called, or not returned. */
#define NO_TIME UINT64_MAX

/*
 * After arrange_calls: visits each arrangement that has all precedences it can have, once, up to
 * `limit` of them. False if there are more.
 */
bool arrange_tightest(const struct arrange *a, uint64_t limit, arrange_visitor *visit, void *data);

/*
 * After arrange_returns: visits arrangements with as few precedences as possible such that every
 * order of the operations that respects the needs is one of their linear extensions. `limit` counts
 * the visits, of beginnings too.
 */
bool arrange_loosest(const struct arrange *a, uint64_t limit, arrange_visitor *visit, void *data);

#endif
