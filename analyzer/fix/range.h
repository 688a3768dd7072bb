/* SPDX-License-Identifier: MIT
 *
 * The statements of a block, and the ways out of them.
 */
#ifndef LINCHPIN_FIX_RANGE_H
#define LINCHPIN_FIX_RANGE_H

#include "fix/tree.h"

/* Neighbours in one compound statement. */
struct range {
	struct node *function;
	struct node *first, *last;
	uint32_t from, to; /* the lines that were asked for */
};

/* The least run of statements that has the lines. -1 and *e if there is none, or if it can be
 * entered or left in a way that no lock can follow. */
int range_find(const struct unit *u, const char *function, uint32_t first, uint32_t last,
	       struct range *r, struct error *e);
bool range_has(const struct range *r, const struct node *n);
/* The next node in the range; begin with NULL. */
struct node *range_next(const struct range *r, struct node *n);
/* Does this statement leave the range (return, or a jump)? */
bool range_is_exit(const struct range *r, const struct node *n);
/* One of a function that holds both. False if they have no compound statement in common but with
 * other statements between that wait. */
bool range_unite(struct range *r, const struct range *with);

#endif
