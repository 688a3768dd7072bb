/* SPDX-License-Identifier: MIT
 *
 * Which data type some functions are the operations of.
 */
#ifndef LINCHPIN_SPEC_GUESS_H
#define LINCHPIN_SPEC_GUESS_H

#include "spec/candidate.h"

struct group {
	struct candidate **ops;
	size_t n;
	bool one_object; /* the compiler removed what tells objects apart */
	bool left_out;   /* an operation that changes it cannot be caught */
};

bool candidate_changes(const struct candidate *c); /* the object, that is */
bool candidate_is_lock(const struct candidate *c);

/* Are they the operations of a mutex, and of nothing else? */
bool group_are_locks(const struct group *g);

/* What the names suggest. */
const char *group_guess(const struct group *g);
/* The same if it knows all the operations; else `self`, and *misfit is one that it does not
 * know. */
const char *group_specification(const struct group *g, const struct candidate **misfit);

#endif
