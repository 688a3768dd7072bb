/* SPDX-License-Identifier: MIT
 *
 * What the search left out, and at which lines of the program.
 */
#ifndef LINCHPIN_JUDGE_SEARCH_LIMITS_H
#define LINCHPIN_JUDGE_SEARCH_LIMITS_H

#include "judge/analysis.h"

/* The line of the program where it was reached, which may have called a library there. */
const struct source_frame *limit_place(struct srcmap *m, const struct limit *l);

/* Calls add(data, sentence) for each limit that the search reached, one for each place; the sentence
 * is to be freed by it. */
void search_limits(const struct analysis *a, void (*add)(void *data, char *sentence), void *data);

#endif
