/* SPDX-License-Identifier: MIT
 *
 * Mutexes, for what else locks and unlocks them.
 */
#ifndef LP_MUTEX_H
#define LP_MUTEX_H

#include "interpose.h"

/* Does the running fiber hold it? */
bool mutex_mine(const struct mutex_state *m);

/* May the running fiber unlock it (or wait with it)? 0, or EPERM where libc says so; a misuse ends the
 * execution. */
int mutex_may_be_released(const struct mutex_state *m, bool waits);
void mutex_release(struct mutex_state *m);

/* The step that acquires it has happened: 0 or EOWNERDEAD. */
int mutex_take(struct mutex_state *m);

bool cond_wait_uses(const pthread_mutex_t *m); /* cond.c: a thread waits for a condition with it */

#endif
