/* SPDX-License-Identifier: MIT
 *
 * No violation is reported that was not seen twice: every finding's schedule is
 * executed again.
 */
#ifndef LINCHPIN_JUDGE_CONFIRM_H
#define LINCHPIN_JUDGE_CONFIRM_H

#include "judge/analysis.h"

/* Executes the schedules of all findings and sets `replayed` of each, and
 * a->replay or a->replay_error. `specification` is that of objects that name
 * none, or NULL. */
void confirm_findings(struct analysis *a, const char *specification);

#endif
