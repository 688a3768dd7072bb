/* SPDX-License-Identifier: MIT
 *
 * Events, operations and waiting threads in words.
 */
#ifndef LINCHPIN_REPORT_EVENT_H
#define LINCHPIN_REPORT_EVENT_H

#include "run/trace.h"
#include "source/map.h"

/* All return malloc'd text. */

/* "read items[1] = 5", "lock m", "call push(7)", "return pop() = 7". */
char *event_text(struct srcmap *m, const struct run *run, const struct trace *t, uint32_t event);
/* The same without memory orders, for where there is little room. */
char *event_short_text(struct srcmap *m, const struct run *run, const struct trace *t,
		       uint32_t event);
/* "push(7)"; with the object before it where the trace has several. */
char *operation_text(struct srcmap *m, const struct run *run, const struct trace *t, uint32_t op);
/* "push(7)", "pop() = 7", "pop() = empty", "pop() never returned". */
char *operation_result_text(struct srcmap *m, const struct run *run, const struct trace *t,
			    uint32_t op);
/* The result alone: "7", "empty", "" for void. */
char *result_text(unsigned kind, int64_t value);
/* "lock m", "condition c", "T0.2 to end": what a thread waits for. */
char *waiter_text(struct srcmap *m, const struct run *run, const struct trace *t,
		  const struct waiter *w);

#endif
