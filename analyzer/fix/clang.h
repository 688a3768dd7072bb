/* SPDX-License-Identifier: MIT
 *
 * Parses a source file with libclang. The library is loaded when it is needed: the command does
 * not depend on it, and one that was built without its headers says so.
 */
#ifndef LINCHPIN_FIX_CLANG_H
#define LINCHPIN_FIX_CLANG_H

#include "fix/tree.h"

/* The flags are those of the compiler, without the file itself and what is to be made of it. 0 and
 * *u, to be freed; or -1 and *e: no libclang, or errors in the file. */
int unit_parse(const char *path, const char *const *flags, size_t nflags, struct unit *u,
	       struct error *e);

#endif
