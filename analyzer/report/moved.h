/* SPDX-License-Identifier: MIT
 *
 * Accesses that the compiler has moved to another line than that of the source.
 */
#ifndef LINCHPIN_REPORT_MOVED_H
#define LINCHPIN_REPORT_MOVED_H

#include "repair/blocks.h"
#include "repair/closure.h"
#include "source/map.h"

/* Is there an access to a variable in the code of the block, though no line of it names the variable, or changes it? Such a
 * block is atomic in the program that ran, but lines of the source that are made atomic would not have the access. That is
 * only so in code that was optimized. Statements that call something, use a macro, or follow a pointer may access anything. */
bool moved_into(struct srcmap *m, const struct closure *c, const struct block *b, uint32_t *site,
		uint32_t *location);

#endif
