/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_REPORT_SIGNALS_H
#define LINCHPIN_REPORT_SIGNALS_H

#include "source/map.h"

#include <stdio.h>

/* A line for each signal on a condition that woke another one of the threads that waited than one that
 * waits still, and for each that came just before a thread waited for it. */
void report_signals(FILE *out, struct srcmap *m, const struct run *run, const struct trace *t);

#endif
