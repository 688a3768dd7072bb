/* SPDX-License-Identifier: MIT
 *
 * A patch while it is made: the parsed files, and the statements of its blocks.
 */
#ifndef LINCHPIN_FIX_MAKING_H
#define LINCHPIN_FIX_MAKING_H

#include "fix/edit.h"
#include "fix/locks.h"
#include "fix/patch.h"

#define MAX_RANGES   64
#define MOST_CLASSES 2000 /* of the run, that are looked at for conflicts */

struct file {
	const char *name;
	char *path;
	struct unit u;
	struct locks locks;
	struct edits edits;
	struct range blocks[MAX_RANGES]; /* of the repair */
	uint32_t nblocks;
	struct range others[MAX_RANGES]; /* of lines that conflict */
	uint32_t nothers;
	uint32_t changed[MAX_RANGES]; /* lines that write what other threads use, too */
	uint32_t nchanged;
	bool needs_stdint;
	bool others_lost; /* one of these lines has no statement that could hold a lock */
};

struct making {
	const struct patch_request *request;
	struct file *files;
	size_t n;
	char *summary; /* lines */
	struct error *e;
	/* why the first way of each kind is none: that is what is said in the end */
	struct error why;
	bool no_order; /* why the locks of a circle cannot be taken in one order: */
	struct error no_order_why;
};

/* The ways to make the blocks atomic: 0 and the changes in the files, or -1 and *m->e. */

/* All blocks hold a lock of the class; the lines that conflict, too, if `others`. */
int try_class(struct making *m, const char *class, bool others);
int try_atomic(struct making *m);
/* The locks of circles in one order, or in the other one. */
int try_order(struct making *m, bool down);
int try_mutex(struct making *m); /* a static one */
int try_member(struct making *m);

/* The parsed file of this name, or NULL. */
struct file *making_file(struct making *m, const char *name);
/* A line of the summary: what is done with the lines of a file. */
void making_tell(struct making *m, const struct file *f, uint32_t from, uint32_t to, const char *what);

/* Makes one of those that overlap or are near each other; how many are left. */
uint32_t ranges_unite(struct range *list, uint32_t n);

#endif
