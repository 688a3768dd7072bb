/* SPDX-License-Identifier: MIT
 *
 * Two texts as a unified diff, as `diff -u` prints it and `patch -p1` reads it.
 */
#ifndef LINCHPIN_FIX_DIFF_H
#define LINCHPIN_FIX_DIFF_H

#include "base/util.h"

/* Nothing is written if they are equal. */
void diff_write(FILE *to, const char *name, const char *before, const char *after);

#endif
