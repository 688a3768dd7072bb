/* SPDX-License-Identifier: MIT
 *
 * A patch for a repair: which way each block becomes atomic. For a circle of locks one order of
 * them comes first. Tried in this order: a critical section
 * that is there is made longer; a lock that protects the same elsewhere is taken around; one atomic
 * operation; a new mutex, in a structure or static. Lines outside of the blocks that conflict with them hold the lock, too.
 */
#ifndef LINCHPIN_FIX_PATCH_H
#define LINCHPIN_FIX_PATCH_H

#include "fix/flags.h"
#include "repair/blocks.h"
#include "repair/nesting.h"
#include "run/trace.h"
#include "source/map.h"

struct patch_file {
	char *name; /* as the run calls it */
	char *path;
	char *before, *after;
};

struct patch {
	struct patch_file *files;
	size_t n;
	char *summary;   /* what is done, lines of text */
	unsigned number; /* from 0: of those that are possible for this repair */
};

struct patch_request {
	const struct block *blocks;
	uint32_t nblocks;
	struct run *run; /* that shows what conflicts with the blocks */
	struct srcmap *map;
	/* of a deadlock: the locks that are waited for, and where they are taken */
	const struct nestings *nestings;
	const struct lock_circle *circles;
	uint32_t ncircles;
	const struct flags *flags; /* given by the user; NULL: those of compile_commands.json */
	const char *no_lock; /* why a new lock around the blocks is not enough; NULL: nothing is known against it */
};

/* Patch number `number` for these blocks. 1 and *p, to be freed; 0 if there are no more, and *e
 * says why the ways that were tried are none; -1 and *e if the source cannot be read. */
int patch_make(const struct patch_request *request, unsigned number, struct patch *p,
	       struct error *e);
void patch_free(struct patch *p);
/* As a unified diff. */
void patch_print(FILE *to, const struct patch *p);

#endif
