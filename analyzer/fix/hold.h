/* SPDX-License-Identifier: MIT
 *
 * Makes a range of statements hold a lock: what takes and releases it inside goes, what is missing
 * at the beginning and at each way out comes.
 */
#ifndef LINCHPIN_FIX_HOLD_H
#define LINCHPIN_FIX_HOLD_H

#include "fix/edit.h"
#include "fix/locks.h"

struct hold {
	bool widened; /* a critical section that was there is longer now */
	bool shared;  /* for reading is enough */
};

/* The lock is one of the range's function, or looks like one (function, take, release, text,
 * shown). `fresh`: nothing else takes it. 0 and the changes, or -1 and *e. */
int hold_range(const struct locks *l, const struct lock *lock, bool fresh, const struct range *r,
	       struct edits *edits, struct hold *how, struct error *e);

/* The lock of another function as the function of the range would name it: to be freed with
 * lock_clear. False if it cannot. */
bool lock_translate(const struct locks *l, const struct lock *from, const struct range *r,
		    struct lock *to);
void lock_clear(struct lock *lock);

#endif
