/* SPDX-License-Identifier: MIT
 *
 * The order that all traces equivalent to one trace have in common: program order, conflicts, and
 * that of a thread's creation and join. A few edges with the same transitive closure are kept, so
 * everything here is linear in the trace for a fixed number of threads.
 */
#ifndef LINCHPIN_REPAIR_ORDER_H
#define LINCHPIN_REPAIR_ORDER_H

#include "run/trace.h"

struct order {
	uint32_t nevents, nthreads;
	uint32_t *previous, *next; /* events of the same thread, NONE at the ends */
	/* The outermost operation (index into t->ops) inside which an event lies, NONE if there is
	 * none; its own CALL and RETURN are not inside. See order_outside(). */
	uint32_t *instance;
	/* Overlapping accesses share a cell: a range of bytes that no access covers in part. An
	 * event's accesses are spans span_start[e] .. span_start[e + 1]; each is the cells
	 * first..end-1, touched in one way (enum lp_access). */
	struct span {
		uint32_t first, end;
		uint8_t access;
	} * spans;
	uint32_t *span_start;
	uint32_t ncells;
	/* Edges between threads, by source: targets[edge_start[e] .. edge_start[e + 1]]. */
	uint32_t *edge_start, *targets;
	uint32_t nedges;
	struct order_private *private;
};

/* Computes the order of a trace. Zero-initialise *o before the first call; its buffers are
 * reused. */
void order_build(struct order *o, const struct trace *t);
/* The same with conflicts of memory accesses only (read, write, read-modify-write, failed
 * compare-exchange, free), as if nothing accessed a synchronization object. */
void order_build_memory(struct order *o, const struct trace *t);
void order_free(struct order *o);

/* What threads do outside of operations belongs to the picture, too: of threads that call none, of
 * destructors and helpers. Gives each event outside an instance: that of its stretch between two
 * operations, numbered from t->nops. A stretch ends where a thread is made or joined, which would
 * order it before and after all of the other thread. With `operations` false it goes on through
 * operations, as if none were marked. */
void order_outside(struct order *o, const struct trace *t, bool operations);

/* The number of conflicting pairs of events (of different threads, overlapping, touching in
 * ways whose order matters) among the conflicts from which the order was built. */
uint64_t order_conflicts(const struct order *o, const struct trace *t);

/* earliest[e * nthreads + u]: the first event of thread u that must come after e because of a
 * conflict with e, or because e creates u or is the last event of a thread that u joins. NONE if
 * there is none. Free it. */
uint32_t *order_earliest(const struct order *o, const struct trace *t);

#endif
