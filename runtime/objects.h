/* SPDX-License-Identifier: MIT
 *
 * The state of locks and other synchronization objects, kept in the program's own objects (so that it is rolled back
 * with them) in glibc's layout where a static initialiser or an init function of libc has written
 * it. Owners are fiber id + 1.
 */
#ifndef LP_OBJECTS_H
#define LP_OBJECTS_H

#include "state.h"

struct mutex_state { /* pthread_mutex_t */
	int32_t locked;
	uint32_t count;
	int32_t owner;
	uint32_t users;
	int32_t kind; /* & 3: 0 normal, 1 recursive, 2 error checking, 3 adaptive */
};

struct rwlock_state {     /* pthread_rwlock_t */
	uint32_t readers; /* times RWLOCK_READER; libc leaves bits below it when it unlocks */
	uint32_t unused[5];
	int32_t writer;
};

#define RWLOCK_READER 8u

static inline bool has_readers(const struct rwlock_state *l)
{
	return l->readers >= RWLOCK_READER;
}

struct cond_state {      /* pthread_cond_t; all zero is the static initialiser */
	uint32_t tokens; /* signals not yet taken by one of the eligible waiters */
};

enum { COND_QUEUED = 0, COND_ELIGIBLE, COND_LOST }; /* fiber's eligible */

struct sem_state { /* sem_t */
	uint32_t value;
};

struct barrier_state { /* pthread_barrier_t */
	uint32_t arrived;
	uint32_t round;
	uint32_t count;
};

enum { ONCE_NEW = 0, ONCE_RUNNING = 1, ONCE_DONE = 2 };
enum { SPINLOCK_FREE = 1, SPINLOCK_TAKEN = 0 };

/* Would the object let this pending event through now? */
static inline bool object_allows(const struct fiber *f, const struct pending *p)
{
	const void *o = (const void *)p->addr;

	switch ((enum wait)p->wait) {
	case WAIT_NOT:
		return true;
	case WAIT_MUTEX:
		return !((const struct mutex_state *)o)->locked;
	case WAIT_WRLOCK:
		return !((const struct rwlock_state *)o)->writer &&
		       !has_readers((const struct rwlock_state *)o);
	case WAIT_RDLOCK:
		return !((const struct rwlock_state *)o)->writer;
	case WAIT_COND:
		return f->eligible == COND_ELIGIBLE &&
		       ((const struct cond_state *)o)->tokens;
	case WAIT_SEM:
		return ((const struct sem_state *)o)->value > 0;
	case WAIT_BARRIER:
		return ((const struct barrier_state *)o)->round != f->round;
	case WAIT_ONCE:
		return *(const int *)o != ONCE_RUNNING;
	case WAIT_SPINLOCK:
		return *(const int *)o == SPINLOCK_FREE;
	case WAIT_FUTEX:
		return f->woken;
	case WAIT_JOIN:
		return false; /* woken by the end of the other */
	}
	return true;
}

/* What an event accesses. */
struct part {
	uint64_t addr;
	uint32_t size;
	uint8_t access; /* enum lp_access */
};
#define MAX_PARTS 3

static inline unsigned event_parts(const struct event *e, struct part *parts)
{
	unsigned kind = e->kind, flags = e->flags;
	uint64_t addr = e->addr, addr2 = e->addr2;
	uint32_t size = e->size;
	unsigned n = 0;

	if (!(flags & LP_SITE_FUTEX) || !lp_futex_kind(kind)) {
		parts[n++] = (struct part){ addr, size, e->access };
		/* Of a futex that was not as expected only the word is read. */
		if (addr2 && !(flags & LP_SITE_FUTEX))
			parts[n++] = (struct part){ addr2, 1, LP_WRITES };
		return n;
	}
	parts[n++] = (struct part){ lp_futex_queue(addr), 1, e->access };
	if (kind == LP_EV_WAIT || kind == LP_EV_BROADCAST)
		parts[n++] = (struct part){ addr, size, LP_READS };
	if (addr2)
		parts[n++] = (struct part){ lp_futex_queue(addr2), 1, LP_WRITES };
	return n;
}

#endif
