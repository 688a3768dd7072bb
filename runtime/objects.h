/* SPDX-License-Identifier: MIT
 *
 * The state of locks and other synchronization objects: what they are is kept in the program's own
 * objects (so that it is rolled back with them) in glibc's layout where a static initialiser or an
 * init function of libc has written it. Who waits for what is kept in the fibers. Owners are fiber
 * id + 1.
 */
#ifndef LP_OBJECTS_H
#define LP_OBJECTS_H

#include "state.h"

struct mutex_state { /* pthread_mutex_t */
	int32_t locked; /* libc keeps the ceiling of its priority in the upper bits */
	uint32_t count;
	int32_t owner;
	uint32_t state; /* enum mutex_robust; libc counts users here */
	int32_t kind;
};

enum mutex_kind {
	MUTEX_NORMAL = 0,
	MUTEX_RECURSIVE = 1,
	MUTEX_ERRORCHECK = 2,
	MUTEX_ADAPTIVE = 3,
	MUTEX_TYPE = 3, /* mask of the above */
	MUTEX_ROBUST = 16,
	MUTEX_INHERIT = 32,
	MUTEX_PROTECT = 64,
	MUTEX_BITS = 0x3ff, /* all that libc sets */
};
#define MUTEX_DESTROYED (-1) /* libc's, too */
#define MUTEX_LOCKED	0x7ffff
#define MUTEX_CEILING	19

/* Of a robust mutex: its owner has ended, and nobody has said that it is consistent; or it was
 * unlocked so. */
enum mutex_robust { MUTEX_CONSISTENT = 0, MUTEX_OWNER_DIED, MUTEX_LOST };

static inline bool mutex_locked(const struct mutex_state *m)
{
	return m->locked & MUTEX_LOCKED;
}

struct rwlock_state {     /* pthread_rwlock_t */
	uint32_t readers; /* times RWLOCK_READER; bits of libc's below it */
	uint32_t coming;  /* writers that wait, where they are preferred */
	uint32_t written[2]; /* libc's, as `readers` & RWLOCK_WRITTEN: a child of fork asks it */
	uint64_t destroyed;
	int32_t writer;
	uint32_t unused2[5];
	uint32_t kind;
};

#define RWLOCK_READER	     8u
#define RWLOCK_WRITTEN	     3u /* while a writer has it */
#define RWLOCK_WRITERS_FIRST 2u /* PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP */

static inline bool has_readers(const struct rwlock_state *l)
{
	return l->readers >= RWLOCK_READER;
}

static inline bool writers_first(const struct rwlock_state *l)
{
	return l->kind == RWLOCK_WRITERS_FIRST;
}

/* Who waits for a condition, and which signals are on their way, is in the runtime: the object may
 * be destroyed and used anew as soon as all that waited have been woken. */
struct cond_state { /* pthread_cond_t; all zero is the static initialiser */
	uint64_t unused[5];
	uint64_t destroyed;
};

/* Fiber's eligible: it waits; its wake-up is certain; the condition has forgotten it. */
enum { COND_QUEUED = 0, COND_FREE, COND_LOST };

struct sem_state { /* sem_t */
	uint32_t value;
	uint32_t unused[5];
	uint64_t destroyed;
};

struct barrier_state { /* pthread_barrier_t */
	uint32_t arrived;
	uint32_t unused;
	uint32_t count;
	uint32_t unused2;
	uint64_t destroyed;
};

#define DESTROYED 0x5b9d3f71c2a8e604ULL /* an object that has no destroyed state of libc's */

enum { ONCE_NEW = 0, ONCE_RUNNING = 1, ONCE_DONE = 2 };
enum { SPINLOCK_FREE = 1, SPINLOCK_TAKEN = 0, SPINLOCK_DESTROYED = -0x3f71c2a8 };

/* What the kernel is asked, of what only it knows. */
struct readiness {
	bool (*is)(const struct readiness *);
	bool (*missed)(const struct readiness *); /* what it was made for is there no more */
};

static inline bool is_ready(const struct fiber *f, const struct readiness *r)
{
	bool ready;

	rt->asking = f->id + 1;
	ready = r->is(r);
	rt->asking = 0;
	return ready;
}

static inline bool on_channel(uint64_t addr)
{
	return addr - CHANNELS <= 8 * CHANNEL_LOCKS;
}

/* Is a signal on its way that may let this fiber go? */
static inline bool signal_for(const struct fiber *f, const void *cond)
{
	for (uint32_t i = 0; i < rt->nsignals; i++)
		if (rt->signals[i].cond == (uint64_t)cond && rt->signals[i].who >> f->id & 1)
			return true;
	return false;
}

/* Which of two that are pending is taken first: what was sent to the thread itself, then the lowest number, as
 * Linux does. Those of one number come in their order. */
static inline bool sent_before(int i, int first)
{
	bool process = rt->sent[i].to == SENT_TO_PROCESS;

	if (first < 0)
		return true;
	if (process != (rt->sent[first].to == SENT_TO_PROCESS))
		return !process;
	return rt->sent[i].signal < rt->sent[first].signal;
}

/* The first signal of this set that was sent to the fiber or to the process; -1: none. */
static inline int sent_to(const struct fiber *f, uint64_t set)
{
	int first = -1;

	for (uint32_t i = 0; i < rt->nsent; i++)
		if (set >> (rt->sent[i].signal - 1) & 1 &&
		    (rt->sent[i].to == f->id || rt->sent[i].to == SENT_TO_PROCESS) &&
		    sent_before((int)i, first))
			first = (int)i;
	return first;
}

/* Would the object let this pending event through now? What was destroyed lets everything through:
 * to use it is an error. */
static inline bool object_allows(const struct fiber *f, const struct pending *p)
{
	const void *o = (const void *)p->addr;

	switch ((enum wait)p->wait) {
	case WAIT_NOT:
		return true;
	case WAIT_MUTEX:
		return !mutex_locked(o);
	case WAIT_WRLOCK:
		return (!((const struct rwlock_state *)o)->writer && !has_readers(o)) ||
		       ((const struct rwlock_state *)o)->destroyed == DESTROYED;
	case WAIT_RDLOCK:
		return (!((const struct rwlock_state *)o)->writer &&
			!(writers_first(o) && ((const struct rwlock_state *)o)->coming)) ||
		       ((const struct rwlock_state *)o)->destroyed == DESTROYED;
	case WAIT_COND:
		return f->eligible == COND_FREE ||
		       (f->eligible == COND_QUEUED && signal_for(f, o));
	case WAIT_SEM:
		return ((const struct sem_state *)o)->value > 0 ||
		       ((const struct sem_state *)o)->destroyed == DESTROYED;
	case WAIT_ONCE:
		return *(const int *)o != ONCE_RUNNING;
	case WAIT_SPINLOCK:
		return *(const int *)o == SPINLOCK_FREE || *(const int *)o == SPINLOCK_DESTROYED;
	case WAIT_BARRIER:
	case WAIT_FUTEX:
		return f->woken;
	case WAIT_JOIN:
		return rt->fibers[p->expected].state == FIBER_FINISHED;
	case WAIT_HANDLER:
		return false;
	case WAIT_CHANNEL:
		return is_ready(f, (const struct readiness *)p->expected);
	case WAIT_SIGNAL:
		return sent_to(f, p->expected) >= 0;
	}
	return true;
}

/* Of the state of objects that is not in the program's memory. */
static inline uint64_t signals_hash(void)
{
	uint64_t h = mix(rt->passed, rt->nsignals);

	for (uint32_t i = 0; i < rt->nsignals; i++)
		h = mix(mix(h, rt->signals[i].cond), rt->signals[i].who);
	for (uint32_t i = 0; i < rt->nsent; i++)
		h = mix(h, rt->sent[i].signal | (uint64_t)rt->sent[i].to << 8);
	for (unsigned i = 0; UNLIKELY(rt->sends) && i < rt->nfibers; i++)
		h = mix(mix(mix(h, rt->fibers[i].mask), rt->fibers[i].handling),
			rt->fibers[i].cancelled | rt->fibers[i].cancel_off << 1 |
				rt->fibers[i].cancel_async << 2 | rt->fibers[i].no_point << 3);
	return h;
}

/* What an event accesses. */
struct part {
	uint64_t addr;
	uint32_t size;
	uint8_t access; /* enum lp_access */
};
#define MAX_PARTS 6

/* What is sent to a thread, and to the process, is at these places. Who takes something from the process
 * takes it from a queue; that matters only for those who look there: it was not for the others. */
#define SENT_THREAD(f) ((f)->handle)
#define SENT_PROCESS   (rt->fibers[0].handle + 8)
#define SENT_QUEUE     (rt->fibers[0].handle + 16)
/* Timers are set at these places, and there is one for which there are. */
#define SENT_TIMER(i)  (rt->fibers[0].handle + 24 + (i))

/* Or is that only what it names? */
static inline bool event_has_parts(const struct event *e)
{
	return e->addr2 || e->flags & LP_SITE_FUTEX || e->reads_own;
}

static inline unsigned event_parts(const struct event *e, struct part *parts)
{
	unsigned kind = e->kind, flags = e->flags;
	uint64_t addr = e->addr, addr2 = e->addr2;
	uint32_t size = e->size;
	unsigned n = 0;

	if (UNLIKELY(e->reads_own)) {
		parts[n++] = (struct part){ SENT_THREAD(&rt->fibers[e->thread]), 1, LP_READS };
		parts[n++] = (struct part){ SENT_PROCESS, 1, LP_READS };
		if (e->reads_own >= OWN_LOOKS)
			parts[n++] = (struct part){
				SENT_QUEUE, 1, e->reads_own == OWN_TAKES ? LP_WRITES : LP_READS
			};
	}
	if (!e->access)
		return n;

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
