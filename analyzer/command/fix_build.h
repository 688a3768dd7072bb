/* SPDX-License-Identifier: MIT
 *
 * Tries a patch: in a copy of the working directory, with a command of the user.
 */
#ifndef LINCHPIN_COMMAND_FIX_BUILD_H
#define LINCHPIN_COMMAND_FIX_BUILD_H

#include "fix/patch.h"

struct fix_build {
	char *tree, *copy; /* the working directory, and its copy; NULL: not made yet */
};

/* Applies the patch to the copy, runs `command` there, and explores the same client as `run` with
 * the program that it made. 1: no violation in all classes; 0: some remain, and a message was
 * printed; -1 and *e. */
int fix_build_try(struct fix_build *b, const struct run *run, const struct patch *p,
		  const char *command, const char *specification, struct error *e);
/* Removes the copy. */
void fix_build_end(struct fix_build *b);

#endif
