/* SPDX-License-Identifier: MIT
 *
 * Executes the program of a recorded run again, as it was executed for the run.
 */
#ifndef LINCHPIN_JUDGE_EXECUTE_H
#define LINCHPIN_JUDGE_EXECUTE_H

#include "launch/launch.h"
#include "run/trace.h"

/* The program with its arguments, in its working directory, with the operations of the run; the new
 * run directory is `directory`, an absolute path. `change` (with `data`) changes settings and what
 * else is to be different. -1 and *e, which ends in `what`, if the program cannot be executed or
 * does not exit with 0. */
int execute_again(const struct run *original, const char *directory, const char *what,
		  void (*change)(struct launch *, struct settings *, void *data), void *data,
		  struct error *e);

#endif
