/* SPDX-License-Identifier: MIT
 *
 * What searches find against the model and each other.
 */
#ifndef TEST_SEARCH_COMPARE_H
#define TEST_SEARCH_COMPARE_H

#include "explore.h"
#include "format/trace_format.h"
#include "model.h"

struct tally {
	uint64_t programs, by_dfs, too_big, ends, different;
	uint64_t executions[4], cut; /* of source, of dpor, of dpor with observers, with symmetry; of dpor's cut */
	uint64_t stateful, states, merged; /* of stateful searches that were finished */
	uint8_t pairs[OPS * OPS]; /* see pairs.h */
	uint8_t kinds[LP_EV_COUNT][2], ops[OPS]; /* there were such: of events, those of futexes apart; of operations */
};

/* Explores p by source and dpor, and by dfs and random as far as the bound on executions allows. False, and
 * says why, if something differs from the model or between the searches. */
bool compare(const struct model *m, const struct program *p, const struct setting *s,
	     struct tally *tally);

#endif
