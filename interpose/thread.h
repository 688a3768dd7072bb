/* SPDX-License-Identifier: MIT
 *
 * Threads that are made by others than pthread_create.
 */
#ifndef LP_THREAD_H
#define LP_THREAD_H

#include "interpose.h"

/* The running fiber makes one, with this attribute or NULL. */
struct fiber *thread_made(void *(*start)(void *), void *arg, const pthread_attr_t *attr);

/* What f has done happens before what comes of the other. */
void thread_is_after(struct fiber *me, const struct fiber *f);

/* identity.c: why no thread can be made with this; 0: one can. */
int attributes_forbid(const pthread_attr_t *attr);

/* scheduling.c: why a thread that was scheduled so cannot be from now on as the arguments say: as the kernel decides it for the
 * running one. 0: it can. */
int schedule_forbidden(int policy_before, int priority_before, int policy, int priority);

/* scheduling.c: a child of the running fiber has what that has. */
void scheduling_in_child(void);

/* identity.c: a copy of what an attribute says itself; what it points to may be gone. */
void attributes_without_extension(pthread_attr_t *to, const pthread_attr_t *from);

#endif
