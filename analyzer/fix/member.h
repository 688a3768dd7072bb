/* SPDX-License-Identifier: MIT
 *
 * A new mutex as a member of the structure that blocks reach: one lock for each object, where each
 * block reaches one.
 */
#ifndef LINCHPIN_FIX_MEMBER_H
#define LINCHPIN_FIX_MEMBER_H

#include "fix/edit.h"
#include "fix/locks.h"

struct member {
	/* given: the path of the source, and the folder below which headers may be changed */
	const char *source, *root;
	const struct record *record;
	char *name;                      /* of the member */
	char *class;                     /* as in struct lock */
	const struct node *objects[128]; /* by range: a reference to the variable; NULL: *this */
};

/* The structure of which all ranges reach the same object, and nothing that lives elsewhere. False:
 * there is none. */
bool member_choose(const struct locks *l, const struct range *list, uint32_t n, struct member *m);
/* What the lock's function gets for the range, to free: "&list->lock". */
char *member_shown(const struct unit *u, const struct member *m, uint32_t range);
/* The declaration, in the text of the record's file. */
void member_declare(const struct unit *text, const struct member *m, bool cplusplus,
		    struct edits *edits);
/* In C: it is initialized wherever this file makes such objects. False: it makes none. */
bool member_initialize(const struct unit *u, const struct member *m, struct edits *edits);
void member_free(struct member *m);

#endif
