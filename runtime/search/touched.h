/* SPDX-License-Identifier: MIT
 *
 * Memory that several threads touch, one of them changing it, in any order and in any execution so far. Unlike
 * contended.h this asks for no race: an execution that ends in a state that was met before is never seen whole,
 * so a race in it may have its two steps in two executions.
 *
 * A step on other memory is *quiet*: nobody else can tell when it happens. That is known in the end; until
 * then a search that has taken a step for quiet begins again when the memory turns out to be shared.
 */
#ifndef LP_TOUCHED_H
#define LP_TOUCHED_H

#include "contended.h"

struct touched {
	struct table words; /* of 8 bytes: by whom */
	bool grown;         /* something that was quiet is not any more */
	bool all;           /* nothing is quiet: too much was touched at once to be noted, or touched_ends() */
};

void touched_make(struct touched *t);

/* A step was made, or (changes: perhaps) would have been. */
void touched_step(struct touched *t, const struct event *e);
void touched_announced(struct touched *t, const struct fiber *f);

/* An execution was seen to end in the midst of others: how far they are then can be told. */
void touched_ends(struct touched *t);

bool touched_quiet(const struct touched *t, const struct pending *p);

#endif
