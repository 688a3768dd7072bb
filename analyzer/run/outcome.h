/* SPDX-License-Identifier: MIT
 *
 * How an execution can end, in words, and which ends are errors of the program.
 */
#ifndef LINCHPIN_RUN_OUTCOME_H
#define LINCHPIN_RUN_OUTCOME_H

#include "format/trace_format.h"

#include <stdbool.h>
#include <stdint.h>

/* "ok", "exit", "crash", "deadlock", ...: the keys of `outcomes` in JSON. "unknown" for a kind that
 * does not exist. */
const char *outcome_name(unsigned kind);

/* Is this end an error by itself, whatever the operations returned? An exit with status 0, from any
 * thread, is not. */
bool outcome_is_error(unsigned kind, int64_t code);

#endif
