/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_SOURCE_LIBRARIES_H
#define LINCHPIN_SOURCE_LIBRARIES_H

#include "base/util.h"

/* The libraries of a program's own: those that it names with a path, or that its run path or
 * $LD_LIBRARY_PATH leads to, unless they belong to the system. *n paths to free, in an array to free; NULL if it is no ELF file. */
char **libraries_of(const char *program, size_t *n);

#endif
