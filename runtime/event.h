/* SPDX-License-Identifier: MIT
 *
 * Events: what a fiber is about to do, and what is in the log.
 */
#ifndef LP_RUNTIME_EVENT_H
#define LP_RUNTIME_EVENT_H

#include "../format/trace_format.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_EVENT UINT32_MAX

/* What a fiber waits for before its next event may happen. */
enum wait {
	WAIT_NOT = 0,
	WAIT_MUTEX,
	WAIT_WRLOCK,
	WAIT_RDLOCK,
	WAIT_COND,
	WAIT_SEM,
	WAIT_BARRIER,
	WAIT_ONCE,
	WAIT_SPINLOCK,
	WAIT_FUTEX,
	WAIT_JOIN,
	WAIT_SIGNAL,  /* sigwait: `expected` is the set */
	WAIT_CHANNEL, /* until it is ready: `expected` is a struct readiness */
	WAIT_HANDLER, /* pause: until a handler has run */
};

/* What a step has to do with what is sent to threads (`own`, reads_own): it may take something before it
 * happens; it looks for signals that were sent to the process, too; it has taken one of them. */
enum { OWN_READS = 1, OWN_LOOKS, OWN_TAKES };

/* What may end a wait, or a call, beside what it waits for. Signals that have a handler are taken at
 * every step; these are about what becomes of the call. */
enum interrupt {
	BY_CANCEL = 1,  /* it is a cancellation point */
	BY_SIGNAL = 2,  /* fails with EINTR after a handler without SA_RESTART */
	BY_ANY_SIGNAL = 4, /* or after any */
	BY_RESTART = 16, /* as BY_SIGNAL, but it also ends here if it is to begin anew: `anew` of the fiber says so */
	BY_RETURN = 8,  /* a cancellation is not acted upon: the caller does, when it has put things right */
};

/* The next event of a fiber, announced before it happens. */
struct pending {
	uint8_t kind;    /* enum lp_kind; resolved when it happens (see resolve()) */
	uint8_t flags;   /* LP_SITE_* */
	uint8_t wait;    /* enum wait: not enabled before the object allows it */
	uint8_t attempt; /* never waits: fails instead (trylock, trywait, timed) */
	uint8_t compare; /* a compare-exchange: `expected` decides */
	uint8_t own;     /* OWN_* */
	uint8_t measured; /* how much it reads depends on what is there: found anew when others have written (instrument/text.c) */
	uint8_t interrupt; /* enum interrupt */
	uint32_t size;
	uint64_t addr;
	uint64_t addr2;         /* the mutex of a condition wait; the other futex of a requeue */
	uint64_t expected;      /* the value, or where it is if the size is odd */
	uint64_t expected_high; /* of 16 bytes */
	uint64_t pc;
	uint32_t context;
};

/* What the trace calls an event's site and locations. */
struct ids {
	uint32_t site, location, location2;
};

/* One entry of the log. */
struct event {
	uint64_t addr, addr2, pc;
	uint64_t value[2];
	uint64_t before; /* of a write with a value: what was there */
	uint64_t block; /* heap object: thread << 32 | n-th allocation; 0 if none */
	uint64_t block_base;
	uint64_t hash; /* of the log up to and including this event, whatever the order of
			      * independent ones (see trace.c) */
	uint64_t time; /* virtual, of the step: it grows along what happens before what */
	uint64_t busy; /* the same without sleeps */
	uint32_t seq;  /* the n-th step of its thread, from 1: what clocks count */
	uint32_t size;
	uint32_t context;
	uint32_t acquired; /* of an unlock: the log index of the lock it ends; of a writer that
			    * leaves: that of its arrival; else NO_EVENT */
	uint32_t own;      /* 1 + log index of the step of this thread before it; 0: none */
	uint32_t op;       /* CALL: index into rt->calls; RETURN: result kind */
	struct ids ids;    /* once it has been written to the trace */
	uint8_t kind, flags;
	uint8_t thread;    /* whose event it is */
	uint8_t other;     /* CREATE, JOIN: the other thread */
	uint8_t available; /* the object could be acquired before the step */
	uint8_t measured;  /* how much it reads depends on what is there */
	uint8_t wait;      /* enum wait of what was announced, 0 for attempts */
	uint8_t access;    /* enum lp_access: what it turned out to do */
	uint8_t reads_own; /* OWN_* */
	uint8_t glued;     /* it is part of the step of the thread's event before it */
	uint8_t news;      /* with it, something came to the thread that another one has done */
};

/* Where the program called a function. */
struct call_place {
	uint64_t pc; /* return address */
	uint32_t context;
	uint8_t thread;
	bool visible; /* of the allocator: other threads may run there, it is not libc that called */
};

static inline bool event_is_step(const struct event *e)
{
	return e->kind <= LP_EV_LAST_STEP;
}

/* An operation call in this execution. */
struct call {
	const char *name;
	uint32_t nargs;
	int64_t args[4];
};

#endif
