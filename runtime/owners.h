/* SPDX-License-Identifier: MIT
 *
 * What the runtime knows of the objects of the thread library beside what is in their memory: which
 * thread holds which lock, since where, and where an object was destroyed. It is needed to tell
 * misuse, and what ends with a thread. The state of the objects themselves is in objects.h.
 */
#ifndef LP_OWNERS_H
#define LP_OWNERS_H

#include "event.h"

#include <stdbool.h>
#include <stdint.h>

struct owner {
	uint64_t addr;
	struct call_place since;
	uint32_t times;
	bool robust; /* a mutex that has to be told when its owner ends */
};

void owners_reset(void); /* before an execution */

/* The running fiber has taken the object in the program's running call; it gives it back: false if
 * it is not known to hold it. */
void owner_add(const volatile void *object, bool robust);
bool owner_remove(const volatile void *object);

/* The first other than the running fiber that holds the object, or NULL. */
const struct owner *owner_other(const volatile void *object);
/* What the running fiber holds; NULL if it is not known to. */
const struct owner *owner_own(const volatile void *object);
/* How many times it is held, by whomever. */
unsigned owner_times(const volatile void *object);

/* A robust mutex that this fiber holds, or NULL. */
const struct owner *owner_robust(unsigned thread);
bool owner_of_any(unsigned thread);

/* Nobody holds it any more: it is made anew. */
void owners_forget(const volatile void *object);

/* The running fiber has found out, by no step, that it does not hold it. Has another one, so that it could also have
 * done so after what the running fiber does now? */
void owner_denied(const volatile void *object);
bool owner_denied_meanwhile(const volatile void *object);

void destroyed_here(const volatile void *object);
/* Where it was; NULL if it is not known. */
const struct call_place *destroyed_where(const volatile void *object);

/* For the search: the event at this log index acquires or releases a lock of the fiber's. */
struct fiber;
void locks_update(struct fiber *f, struct event *e, uint32_t index);
void lock_held(struct fiber *f, uint64_t addr, uint32_t index); /* since that event */

/* The program's running call. */
struct call_place place_here(void);

#endif
