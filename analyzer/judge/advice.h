/* SPDX-License-Identifier: MIT
 *
 * What would help if a search was not finished, with the numbers of this one.
 */
#ifndef LINCHPIN_JUDGE_ADVICE_H
#define LINCHPIN_JUDGE_ADVICE_H

#include "judge/analysis.h"

/* A list of *n sentences; free each, and the list. None if the search is finished, or was not ended
 * by a bound. */
char **advice_of(const struct analysis *a, size_t *n);

#endif
