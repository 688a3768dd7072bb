/* SPDX-License-Identifier: MIT
 *
 * The files of a run directory as files: making room for a new run.
 */
#ifndef LINCHPIN_RUN_FILES_H
#define LINCHPIN_RUN_FILES_H

#include "base/util.h"

/* Removes the files that a run leaves; others in the directory stay. */
void run_files_remove(const char *directory);

/* Removes what was kept of parts of a search. */
void run_files_remove_parts(const char *directory);

/* A directory for a new run, as an absolute path to free: `given`, made if it is absent, emptied if
 * it holds an earlier run; or a new linchpin.N in the working directory if `given` is NULL. NULL
 * and *e if that is not possible, for example because `given` holds other files. */
char *run_files_prepare(const char *given, struct error *e);

/* The absolute path of what the run was made with: its `ops` or `blocks`; to free, NULL if there are
 * none. */
char *run_files_path(const char *directory, const char *name);

#endif
