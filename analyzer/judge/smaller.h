/* SPDX-License-Identifier: MIT
 *
 * A smaller client that fails in the same way, where an argument of the program says what the client does:
 *
 *	[a1 a2] {c1 r1}|{a1} [c1]
 *
 * Each group in braces is what a thread does; those in brackets come before and after all threads. What the words mean,
 * only the program knows.
 */
#ifndef LINCHPIN_JUDGE_SMALLER_H
#define LINCHPIN_JUDGE_SMALLER_H

#include "judge/analysis.h"

/* Leaves out threads and words, one by one, as long as the program still has a violation of the kind of the first finding
 * of *a, looked at with the same options. The argument that is left; NULL if there is no such argument, or nothing can be
 * left out. Free it. */
char *smaller_client(const struct analysis *a, const struct analysis_options *options);

#endif
