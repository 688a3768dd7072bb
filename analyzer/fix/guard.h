/* SPDX-License-Identifier: MIT
 *
 * Locks that C++ releases at the end of a scope, whatever way leads out of it.
 */
#ifndef LINCHPIN_FIX_GUARD_H
#define LINCHPIN_FIX_GUARD_H

#include "fix/edit.h"
#include "fix/locks.h"

/* Is the call the construction of a guard? */
bool guard_call(const char *name);
/* The statement that declares the guard of a call; NULL if it is none. */
struct node *guard_statement(const struct node *call);

/* A guard for the mutex from the first statement of the range to the last one. Guards of the lock that
 * are there go. The range becomes what is held: to the end of the compound statement, if what it
 * declares, or a guard that goes, is of use there. -1 and *e if that cannot be. */
int guard_range(const struct locks *l, const struct lock *lock, struct range *r,
		struct edits *edits, bool *changed, struct error *e);

#endif
