/* SPDX-License-Identifier: MIT
 *
 * Which kinds of events (enum lp_kind of the trace format) and operations (ops.h) there were, so that none is left out
 * when there is a new one.
 */
#ifndef TEST_SEARCH_KINDS_H
#define TEST_SEARCH_KINDS_H

#include "compare.h"

/* Those in the latest run in this directory, and the operations of its program. */
void kinds_add(struct tally *tally, const struct setting *s, const struct program *p);

/* Prints those that were in no run, without a known reason. False if there is one. */
bool kinds_all(const struct tally *tally);

#endif
