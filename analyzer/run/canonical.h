/* SPDX-License-Identifier: MIT
 *
 * One trace as bytes that depend on nothing but the execution: a trace file of its own, in which
 * every id is given at its first use. Two executions of one program took the same steps with the
 * same effects if and only if these bytes are equal, whatever else their run directories hold.
 */
#ifndef LINCHPIN_RUN_CANONICAL_H
#define LINCHPIN_RUN_CANONICAL_H

#include "run/trace.h"

/* The bytes of *t, which was read from *run; free them. */
unsigned char *trace_canonical(const struct run *run, const struct trace *t, size_t *size);

#endif
