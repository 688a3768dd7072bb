/* SPDX-License-Identifier: MIT
 *
 * A block that only reads one word and writes it again, as one atomic operation.
 */
#ifndef LINCHPIN_FIX_ATOMIC_H
#define LINCHPIN_FIX_ATOMIC_H

#include "fix/edit.h"
#include "fix/range.h"

/* 0, the changes, and the name of the word ("struct c.n"), to free; or -1 and *e. */
int atomic_range(const struct unit *u, const struct range *r, struct edits *edits, char **name,
		 struct error *e);
/* Makes the accesses to that word on a line atomic, each by itself. -1 if one is too much for
 * that. */
int atomic_line(const struct unit *u, const char *name, uint32_t line, struct edits *edits,
		struct error *e);

#endif
