/* SPDX-License-Identifier: MIT
 *
 * Two locks are taken, one after the other: which one is the second?
 */
#ifndef LINCHPIN_FIX_CHOSEN_H
#define LINCHPIN_FIX_CHOSEN_H

#include "fix/making.h"

/* -1 and *m->e if the expression that names the second lock reads what others change while they hold the
 * first one: then it can be read only when that is held. */
int chosen_early(struct making *m, const struct file *f, const struct node *first,
		 const struct node *second);

#endif
