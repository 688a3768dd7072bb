/* SPDX-License-Identifier: MIT
 *
 * A new mutex in a file.
 */
#ifndef LINCHPIN_FIX_MUTEX_H
#define LINCHPIN_FIX_MUTEX_H

#include "fix/edit.h"
#include "fix/range.h"

/* A name that the file does not use, to free. */
char *mutex_name(const struct unit *u, const struct node *function);
/* A header, in <>, that the file does not include. */
void file_include(const struct unit *u, const char *header, struct edits *edits);
/* The header that declares the type, if it is missing. */
void mutex_include(const struct unit *u, bool cplusplus, struct edits *edits);
/* A static one before the first of the functions. */
void mutex_static(const struct unit *u, const struct node *first, const char *name,
		  struct edits *edits);

#endif
