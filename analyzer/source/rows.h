/* SPDX-License-Identifier: MIT
 *
 * The statements of a module: where in its machine code the source begins something new.
 */
#ifndef LINCHPIN_SOURCE_ROWS_H
#define LINCHPIN_SOURCE_ROWS_H

#include "source/map.h"

/* Calls `visit` for each place in the line table of a module at which a statement begins that has code of its
 * own there, with its address as linked, and the frame of the function that it is in: an inlined one in its
 * copies, too. Plain: the compiler was told not to optimize. */
void srcmap_rows(struct srcmap *m, uint32_t module,
		 void (*visit)(void *data, uint64_t address, bool plain, const struct source_frame *frame),
		 void *data);

#endif
