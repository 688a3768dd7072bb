/* SPDX-License-Identifier: MIT
 *
 * What an exploration proves: how far the search went, in words, and whether the test was vacuous.
 */
#ifndef LINCHPIN_JUDGE_VERDICT_H
#define LINCHPIN_JUDGE_VERDICT_H

#include "judge/analysis.h"

/* Classes, with those that are not recorded because they are like others. */
uint64_t classes_explored(const struct analysis *a);

/* Has every class of the test been seen, each execution to its end? */
bool search_complete(const struct lp_status *s);

/* "all 1204 classes of this client under sequential consistency" (only if no limit was reached),
 * "the time limit was reached: 412 classes, about 38 % of the estimated search", ... Free it. */
char *search_bound(const struct run *run, const struct analysis *a);

/* Of how much code no access is seen, to free; NULL: of none. */
char *unseen_code(const struct analysis *a);

/* Why the test tests nothing, and what to do, to free; NULL if it tests something. */
char *vacuous(const struct analysis *a);

/* Why histories were not checked although they should have been; NULL if they were. */
const char *unmarked(const struct analysis *a);

#endif
