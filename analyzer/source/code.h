/* SPDX-License-Identifier: MIT
 *
 * The machine code of a function, with the lines that it comes from.
 */
#ifndef LINCHPIN_SOURCE_CODE_H
#define LINCHPIN_SOURCE_CODE_H

#include "source/map.h"

/* A piece of code of one position in the source. */
struct code_piece {
	uint32_t module;
	uint64_t start, end; /* addresses as linked */
	uint32_t copy; /* the function itself or an inlined copy of it: a number for each */
	/* The functions around it, outermost first; `level` is the one that was asked for. What is
	 * before it has inlined it, what follows was inlined into it. */
	const struct source_frame *frames;
	uint32_t nframes, level;
};

/* Calls `visit` for all code of functions of this name, in all modules, by address. */
void srcmap_code(struct srcmap *m, const char *function,
		 void (*visit)(void *data, const struct code_piece *piece), void *data);

/* A map of a program that was not run, and of its own libraries: module 0 is the program. NULL and *e
 * if there is no such file. */
struct srcmap *srcmap_of_program(const char *program, struct error *e);
const char *srcmap_module_path(const struct srcmap *m, uint32_t module); /* NULL: no such number */

#endif
