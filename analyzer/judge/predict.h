/* SPDX-License-Identifier: MIT
 *
 * How many classes there must be with blocks in force.
 */
#ifndef LINCHPIN_JUDGE_PREDICT_H
#define LINCHPIN_JUDGE_PREDICT_H

#include "judge/analysis.h"

/* The classes of the run that complete, all threads having done all they do, and that atomic blocks do
 * not exclude. If the run has all classes, as many complete with the blocks in force. Ends at which
 * threads wait are another matter: blocks may lead to new ones. 0, or not if a class
 * cannot be read or the time is over. */
int predict_completing(const struct analysis *a, const struct repair *r, uint64_t *classes);
/* The same of those that are right. */
int predict_right(const struct analysis *a, const struct repair *r, uint64_t *classes);

#endif
