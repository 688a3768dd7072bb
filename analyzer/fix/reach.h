/* SPDX-License-Identifier: MIT
 *
 * Which memory do blocks touch: that of one object, what is reached from it, or something else?
 */
#ifndef LINCHPIN_FIX_REACH_H
#define LINCHPIN_FIX_REACH_H

#include "fix/locks.h"

/* Would a lock in an object of the structure exclude the ranges from each other? objects[i] is a
 * reference to the variable that is the object of range i, or points to it; NULL: it is that of the
 * method. */
bool reach_one_object(const struct locks *l, const char *record, const struct range *list, uint32_t n,
		      const struct node *const *objects);

#endif
