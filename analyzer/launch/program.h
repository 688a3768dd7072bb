/* SPDX-License-Identifier: MIT
 *
 * The program under test before it is run: where it is, and whether the runtime can work with it.
 */
#ifndef LINCHPIN_LAUNCH_PROGRAM_H
#define LINCHPIN_LAUNCH_PROGRAM_H

#include "base/util.h"

/* Finds the program as the shell would: a name with a slash is a path, any other is looked up in
 * $PATH. A path to free; NULL and *e when there is none or it is not an executable file. */
char *program_find(const char *name, struct error *e);

/* Can the runtime be loaded into this file, and has its code been compiled with the hooks? 0; or -1
 * and *e, which says what is wrong and what to do. *debug_info tells whether addresses will have
 * source lines. */
int program_check(const char *path, bool *debug_info, struct error *e);

/* The name of the program if it is known to start another one, which is not explored: env, timeout,
 * a shell; else NULL. */
const char *program_starts_another(const char *path);

#endif
