/* SPDX-License-Identifier: MIT
 *
 * What limits the statement of a report, in sentences: of the search, of what was seen of the
 * program, and of what was checked. Nothing that was left out goes without one.
 */
#ifndef LINCHPIN_JUDGE_LIMITS_H
#define LINCHPIN_JUDGE_LIMITS_H

#include "judge/analysis.h"

/* *n sentences, in an array; free both. */
char **limits_of(const struct analysis *a, size_t *n);

#endif
