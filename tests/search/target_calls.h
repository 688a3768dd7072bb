/* SPDX-License-Identifier: MIT
 *
 * The calls of a target in three ways: POSIX, POSIX with a clock, C11. What they do is the same, so the
 * model knows nothing of it.
 */
#ifndef TEST_SEARCH_TARGET_CALLS_H
#define TEST_SEARCH_TARGET_CALLS_H

#include "ops.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define QUIET __attribute__((no_sanitize("thread"), noinline))

/* Each returns 0, or another number if it was not done. Mutexes, conditions and threads by number. */
int call_thread(enum api api, unsigned t, void *(*function)(void *), void *arg);
int call_join(enum api api, enum what what, unsigned t, const struct timespec *until);
pthread_t call_handle(unsigned t); /* not of C11 */
void *call_left(void); /* what a thread gives pthread_exit */
int call_mutex(enum api api, enum what what, unsigned k, unsigned type, const struct timespec *t);
int call_condition(enum api api, enum what what, const struct timespec *t);
int call_rwlock(enum api api, enum what what, bool writers_first, const struct timespec *t);
int call_semaphore(enum api api, const struct timespec *t); /* a timed wait */
/* Where none of a family is used there is nothing: with what is open in the kernel a state cannot be told. */
void channels_start(const struct program *p);
int call_channel(const struct op *o);
int channel_end(unsigned channel); /* the one that is read */
void descriptors_start(const struct program *p);
int call_descriptor(const struct op *o); /* timers, epoll, numbers */
int call_signal(const struct op *o);
void sent_start(const struct program *p, void (*handler)(int)); /* that of signals */
int call_sent(const struct op *o, unsigned nthreads);
void files_start(const struct program *p, const char *file);
int call_flock(const struct op *o, unsigned thread);
int call_stream(const struct op *o);
int call_named(const struct op *o, sem_t **mine);
int call_once_only(enum api api, void (*function)(void));

/* -1: the file of that name cannot be mapped. */
int records_map(const char *name);
void record_begin(void); /* of this execution */
void record_keep(const struct record *r);

#endif
