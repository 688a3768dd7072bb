/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_REPORT_SESSION_H
#define LINCHPIN_REPORT_SESSION_H

#include "run/trace.h"
#include "source/map.h"

#include <jansson.h>

/* What a debugger's commands tell of an execution (debugger/linchpin_gdb.py): its events in the words
 * of `linchpin trace`, its threads, its end, and the event at which to stop first. */
json_t *session_json(struct srcmap *m, const struct run *run, const struct trace *t);

#endif
