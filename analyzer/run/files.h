/* SPDX-License-Identifier: MIT
 *
 * The files of a run directory as files: making room for a new run.
 */
#ifndef LINCHPIN_RUN_FILES_H
#define LINCHPIN_RUN_FILES_H

#include "base/util.h"

/* Removes the files that a run leaves; others in the directory stay. */
void run_files_remove(const char *directory);

/* A new directory for a run that is thrown away: in TMPDIR or /tmp, with this in its name. Free it; NULL and *e. */
char *run_files_temporary(const char *what, struct error *e);

/* Removes what was kept of parts of a search. */
void run_files_remove_parts(const char *directory);

/* Writes a file of a run directory, which is there at once or not at all. -1 and *e. */
int run_files_write(const char *directory, const char *name, const char *text, size_t size,
		    struct error *e);
/* Copies a file of another one, if there is such a file. */
int run_files_copy(const char *from, const char *to, const char *name, struct error *e);

/* Nobody else explores in this directory as long as this descriptor is open. -1 and *e: somebody does. */
int run_files_lock(const char *directory, struct error *e);

/* A directory for a new run, as an absolute path to free: `given`, made if it is absent, emptied if
 * it holds an earlier run; or a new linchpin.N in the working directory if `given` is NULL. NULL
 * and *e if that is not possible, for example because `given` holds other files. */
char *run_files_prepare(const char *given, struct error *e);

/* The absolute path of what the run was made with: its `ops` or `blocks`; to free, NULL if there are
 * none. */
char *run_files_path(const char *directory, const char *name);

#endif
