/* SPDX-License-Identifier: MIT
 *
 * The same execution with fewer switches of threads: easier to read, and to step through.
 */
#ifndef LINCHPIN_JUDGE_SHORTEN_H
#define LINCHPIN_JUDGE_SHORTEN_H

#include "run/trace.h"

/* The events of the trace in an order that an equivalent execution has, with the fewest switches; to
 * free. `order` is the one so far, NULL: as recorded. With `times` an operation that ended before
 * another one began still does. NULL if there is none with fewer switches, or if the trace is too
 * large to look for it. */
uint32_t *shorten(const struct trace *t, const uint32_t *order, bool times);

#endif
