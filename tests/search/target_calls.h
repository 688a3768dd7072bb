/* SPDX-License-Identifier: MIT
 *
 * The calls of a target in three ways: POSIX, POSIX with a clock, C11. What they do is the same, so the
 * model knows nothing of it.
 */
#ifndef TEST_SEARCH_TARGET_CALLS_H
#define TEST_SEARCH_TARGET_CALLS_H

#include "ops.h"

#include <time.h>

#define QUIET __attribute__((no_sanitize("thread"), noinline))

/* Each returns 0, or another number if it was not done. Mutexes, conditions and threads by number. */
int call_thread(enum api api, unsigned t, void *(*function)(void *), void *arg);
int call_join(enum api api, unsigned t);
int call_mutex(enum api api, enum what what, unsigned k, unsigned type, const struct timespec *t);
int call_condition(enum api api, enum what what, const struct timespec *t);
int call_rwlock(enum api api, enum what what, bool writers_first, const struct timespec *t);
int call_semaphore(enum api api, const struct timespec *t); /* a timed wait */
void channels_start(const struct program *p);
int call_channel(const struct op *o);
int call_signal(const struct op *o);
int call_once_only(enum api api, void (*function)(void));

#endif
