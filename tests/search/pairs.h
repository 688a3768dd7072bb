/* SPDX-License-Identifier: MIT
 *
 * The table of dependence (lp_kind_access() and lp_access_conflict() of the trace format), tested
 * by execution.
 */
#ifndef TEST_SEARCH_PAIRS_H
#define TEST_SEARCH_PAIRS_H

#include "compare.h"

/* What was seen of a pair of operations. */
#define PAIR_TESTED    1
#define PAIR_DEPENDENT 2 /* the runtime keeps both orders apart */
#define PAIR_DIFFERS   4 /* and in some state the orders differ */

/* Tests every jobs-th pair from number on; only those with an operation whose name begins so, if not NULL. */
void pairs(const struct setting *s, unsigned number, unsigned jobs, const char *only, struct tally *tally);

/* Prints the dependent pairs that differed in no state, without a known reason. False if there is one,
 * or nothing was tested. */
bool pairs_all(const uint8_t *seen);

#endif
