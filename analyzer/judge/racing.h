/* SPDX-License-Identifier: MIT
 *
 * Data races of a run as findings. They are no matter of atomic blocks: no repair is looked for.
 */
#ifndef LINCHPIN_JUDGE_RACING_H
#define LINCHPIN_JUDGE_RACING_H

#include "judge/pass.h"
#include "race/race.h"

/* The class has been judged; its races are counted as findings. */
void racing_class(struct pass *p, const struct trace *t, const char *history);

/* Has the execution, of a run of the same build with its map, the race of these places? Then it is its
 * outcome, if `show` says so. */
bool racing_find(const struct run *run, struct srcmap *map, unsigned options, const char *places, struct trace *t,
		 bool show);

#endif
