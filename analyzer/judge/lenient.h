/* SPDX-License-Identifier: MIT
 *
 * What sequential executions cannot tell is not held against a program.
 */
#ifndef LINCHPIN_JUDGE_LENIENT_H
#define LINCHPIN_JUDGE_LENIENT_H

#include "judge/self.h"
#include "lin/lin.h"
#include "run/trace.h"

/*
 * Marks operations that tried to take a lock which somebody else held and then gave up, t->ops[i] in
 * (*weak)[i], all others not; with self NULL none. The array is made or enlarged; free it. One at a time
 * they would have got the lock, so what they would have done then is not known, and they may fail for no
 * other reason. One has given up if it changes nothing more, or has a result that it never has one at a
 * time.
 */
void weak_operations(const struct trace *t, struct self *self, const struct run *run, bool **weak);

/* May a history be allowed for what sequential executions have not shown? It is lenient then. */
bool lenient_may_allow(const struct history *h);

/* lin_check; but a history that is not allowed by sequential executions, as far as they were seen,
 * and may be by others, is LIN_UNKNOWN. */
int lenient_check(struct history *h, const struct lin_options *options, enum lin_verdict *verdict,
		  struct error *e);

#endif
