/* SPDX-License-Identifier: MIT
 *
 * What is reported beyond the verdict: a minimal failing core and its sentence, a linearization.
 */
#ifndef LINCHPIN_LIN_CHECK_WITNESS_H
#define LINCHPIN_LIN_CHECK_WITNESS_H

#include "lin/check/check.h"

/* Fills result->witness and result->why for a part that is not linearizable. */
void witness_find(const struct lin_part *part, struct lin_run *run, enum check_mode mode,
		  struct lin_result *result);

/* One sentence on why these operations (the whole part) are not linearizable; malloc. */
char *explain(const struct lin_part *part, struct lin_run *run);

/* Fills result->order: a linearization of everything, or the deepest partial one of a part. */
void order_all(const struct lin_problem *p, struct lin_run *run, struct lin_result *result);
void order_partial(const struct lin_part *part, struct lin_run *run, struct lin_result *result);

#endif
