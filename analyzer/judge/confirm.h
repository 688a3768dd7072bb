/* SPDX-License-Identifier: MIT
 *
 * A violation is reported only if it happens twice: every finding's schedule is executed again.
 */
#ifndef LINCHPIN_JUDGE_CONFIRM_H
#define LINCHPIN_JUDGE_CONFIRM_H

#include "judge/analysis.h"

/* Executes the schedules of these findings of *a and sets `replayed` of each, and a->replay or
 * a->replay_error. `specification` is used for objects without one; may be NULL. */
void confirm_findings(struct analysis *a, struct finding *findings, size_t n,
		      const char *specification);

/* How and where an execution ends, the same in another run of the same build. To free. */
char *end_line(const struct run *run, const struct outcome *o);

#endif
