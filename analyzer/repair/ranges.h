/* SPDX-License-Identifier: MIT
 *
 * From blocks to the machine code that they are: the file by which the runtime has blocks in force
 * (format/blocks.h).
 */
#ifndef LINCHPIN_REPAIR_RANGES_H
#define LINCHPIN_REPAIR_RANGES_H

#include "repair/blocks.h"

/* Is a file meant that is shown in reports as the first says? One path is the end of the other. */
bool block_file_is(const char *shown, const char *given);

/* "FILE:FUNCTION:FIRST-LAST" or "FILE:FUNCTION:LINE". The strings of *b are to be freed with
 * block_forget. -1 and *e if it is none. */
int block_parse(const char *text, struct block *b, struct error *e);
void block_forget(struct block *b);

/* The text of a file for LINCHPIN_BLOCKS, to free: the code of these blocks in the program and its own
 * libraries. A file is named as in reports, or by the end of its path. NULL and *e if a block has no
 * code, or if its rounds in a loop cannot be told apart. */
char *blocks_text(const char *program, const struct block *blocks, uint32_t n, struct error *e);

/* Writes that text to a file. -1 and *e if it cannot be written. */
int blocks_save(const char *text, const char *path, struct error *e);

/* What a file for LINCHPIN_BLOCKS says of its blocks, "FILE:FUNCTION:FIRST-LAST" each: a list of *n
 * to free, with its strings; NULL if there is no such file. */
char **blocks_named(const char *path, uint32_t *n);

#endif
