/* SPDX-License-Identifier: MIT
 *
 * The flags that a source file is compiled with, from compile_commands.json.
 */
#ifndef LINCHPIN_FIX_FLAGS_H
#define LINCHPIN_FIX_FLAGS_H

#include "base/util.h"

struct flags {
	char **list;
	size_t n, capacity;
	char *from; /* the file that they are from; NULL: there is none */
};

/* Looks in the directory of the file, in those above it and in their build/; nothing found is no
 * error. Nothing that the file says is executed. */
void flags_find(const char *file, struct flags *f);
void flags_add(struct flags *f, const char *flag);
void flags_free(struct flags *f);

#endif
