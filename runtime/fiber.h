/* SPDX-License-Identifier: MIT
 *
 * Fibers: the threads of the program.
 */
#ifndef LP_FIBER_H
#define LP_FIBER_H

#include "blocks.h"
#include "call_stack.h"
#include "event.h"
#include "places.h"
#include "waiting.h"

#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>

/* A lock that a fiber holds, and the step that acquired it. */
struct held {
	uint64_t addr;
	uint32_t index;
};

/* twins.c. The last ones are those of the first twin. */
struct twins {
	uint8_t first, next; /* 1 + fiber; 0: none */
	uint8_t joiner, asked;
	uint32_t creator;    /* steps of who has created it, then */
	uint32_t n, joined;
	uint32_t from, to;   /* steps of who joins them, at the first and the latest join */
	void *result;
};

enum fiber_state { FIBER_FREE = 0, FIBER_START, FIBER_LIVE, FIBER_FINISHED };

struct cleanup;      /* libc's __pthread_unwind_buf_t */
struct once_running; /* interpose/unwind.h */
struct _pthread_cleanup_buffer;

struct fiber {
	void *sp;
	uint64_t fs;
	uint64_t handle;              /* pthread_t */
	uintptr_t stack_lo, stack_hi; /* without the guard page */
	uintptr_t stack_low_seen;     /* lowest stack pointer seen at an event */
	uint8_t id, state, detached, joined, shared_stack;
	uint8_t in_op;
	uint8_t in_block, locking; /* it holds the lock around blocks; is about to take or release it */
	uint8_t parent, children;
	uint8_t joiner; /* id + 1 of who is blocked in join */
	uint32_t nheld;
	uint8_t serves;      /* it is no thread of the program, which waits for it to do something */
	uint8_t given_stack; /* the program's own memory */
	uint8_t gone;        /* its stack: it has ended */
	uint8_t lives;       /* threads that had this place before */
	uint8_t loading; /* in calls of the loader, which are one step */
	uint32_t born;   /* log index: it has nothing to do with what was in its place before */
	uint32_t seq;    /* steps so far, with ... */
	uint32_t before; /* ... those of threads that had its place */
	uint32_t allocations;
	uintptr_t given; /* the allocator is about to give it this block, which was freed; 0 */
	uint32_t context;
	uint32_t late_write; /* log index of a plain write whose value is not known yet */
	uint32_t last_event;
	uint32_t destroying; /* 1 + log index when a destructor of thread-specific data was called; 0: none runs */
	uint64_t queued;        /* in the queue of a futex: the turn */
	uint64_t waits_at;      /* this condition or barrier, also while a handler runs; 0 */
	uint8_t eligible;       /* condition wait: COND_* of objects.h */
	uint64_t cond_mutex;    /* with which it waits for a condition; 0 */
	uint8_t woken;          /* futex or barrier: somebody woke it */
	uint8_t spurious;       /* it has woken without a signal */
	uint8_t anew;           /* the handler that ran has SA_RESTART */
	uint8_t framed;         /* its context is that of frames */
	uint8_t extended_whole; /* `extended` holds more than xmm0..15 */
	uint64_t now;           /* microseconds of virtual time */
	uint64_t due;           /* the moment at which its timed wait ends, if nothing happens; 0: it is in none */
	uint64_t busy;          /* what of that is no sleep */
	uint64_t computed;      /* of `now`, its own, but for steps: it looked at the clock, or goes round */
	uint32_t arrival;       /* 1 + log index: it has come to a lock where writers are first; 0 */
	int errno_saved;
	struct pending pending;
	void *(*start)(void *);
	void *arg, *retval;
	struct cleanup *cleanup;
	struct _pthread_cleanup_buffer *routines;
	struct once_running *once;
	struct _Unwind_Exception unwinding;
	uintptr_t outermost; /* stack pointer of the frame that has called its function */
	struct call_place joined_at;
	size_t stack_asked, guard; /* as the program has said */
	char name[16];             /* empty: the program's */
	uint8_t named;
	uint8_t ending;            /* by pthread_exit or cancellation */
	uint8_t cancelled, cancel_off, cancel_async;
	uint8_t no_point; /* it makes a system call itself, which is no cancellation point */
	uint64_t mask;             /* signals that it blocks: bit signal - 1 */
	uint32_t handlers;         /* of signals, that have run */
	uint64_t handling;         /* those of them that it blocks only until a handler returns */
	struct {
		uintptr_t lo;
		size_t size; /* 0: there is none */
		int flags;
	} alternate;               /* stack for signals, as the program has said */
	struct {
		uintptr_t lo, hi;         /* 0: none */
		struct call_frame *frame; /* the top before that */
	} aside;                   /* that on which a handler runs */
	uint8_t ncpus;             /* bytes of `cpus`; 0: it was not set */
	uint8_t cpus[128];
	int policy, priority;
	uint64_t random;           /* how many random words it has got */
	struct call_frame *frame; /* functions entered: the top, while another fiber runs */
	uint64_t tail_pc, tail_sp; /* rt->instr's */
	struct twins twins;
	struct rounds rounds;
	struct place place; /* of its latest event, for blocks in force */

	/* Where it has stopped, for fingerprint.c. */
	struct {
		uint64_t frame, sp, registers;
		uint64_t inside; /* a hash of what it has come to inside the runtime */
		uint32_t steps;  /* since it entered it; that which is announced counts */
		bool told;       /* that is all of it */
	} stopped;

	/* By thread: how many of its steps happen before this fiber's next. */
	uint32_t clock[MAX_FIBERS];

	/* Memory that stays the fiber's in the executions that follow; NULL until it is needed. */
	struct call_frame *frames; /* frames[0] is below all */
	struct held *held;         /* nheld of them count */
	uint32_t room_for_held;
	uint8_t *extended;         /* vector and floating-point state while another one runs */
	uint8_t *last_stack;       /* on which it makes its last steps, where its own is shared */
};

/* It goes on after something that the other has done. */
static inline void time_is_after(struct fiber *f, const struct fiber *other)
{
	if (other->now > f->now)
		f->now = other->now;
	if (other->busy > f->busy)
		f->busy = other->busy;
}

/* Has it made a step in a destructor of thread-specific data? */
static inline bool in_destructor(const struct fiber *f)
{
	return f->destroying && f->last_event + 1 >= f->destroying;
}

/* switch.S: stores the stack pointer of the running fiber, and goes on where `load` was stored. */
void switch_stack(void **save, void *load);
void fiber_entry_thunk(void);

/* The same where fibers have threads. */
void switch_carrier(void **save, unsigned from, unsigned to);
void carrier_rest(unsigned from, unsigned to); /* for it */

/* callbacks.c: the fiber goes on where the stack pointer is that, so it has left those below; something is about to be
 * called in place of the step that it has announced. */
void callbacks_left(struct fiber *f, uintptr_t sp);
void callback_begins(uintptr_t sp); /* both called by call_back, with its stack pointer */
void callback_ends(uintptr_t sp);
void callback_interrupts(struct fiber *f, const struct pending *announced);

/* switch.S: calls a function of the program, the other registers being 0. */
uint64_t call_program(uint64_t function, uint64_t a, uint64_t b, uint64_t c);
/* The same within a call of the program's. */
uint64_t call_back(uint64_t function, uint64_t a, uint64_t b, uint64_t c);
/* The same on another stack, which begins there. */
uint64_t call_program_on(uintptr_t stack, uint64_t function, uint64_t a, uint64_t b, uint64_t c);
void fiber_main(void); /* for the thunk */

/* Is this on the alternate stack, while a handler runs there? */
static inline bool is_aside(const struct fiber *f, uintptr_t sp)
{
	return sp - f->aside.lo < f->aside.hi - f->aside.lo;
}

/* Of two places on the stacks of a fiber, the one that was reached later has the smaller number. */
static inline uintptr_t stack_depth(const struct fiber *f, uintptr_t sp)
{
	return is_aside(f, sp) ? sp - f->aside.lo : sp;
}

/* Makes the first donors: real threads whose thread-local storage the fibers use. */
void fibers_init(void);
void fibers_more_donors(void);

/* Before an execution: there is the main thread only. */
void fibers_reset(void);

#define GIVEN_LEAST (64UL << 10) /* of a stack that the program gives: the runtime needs some */
#define ASIDE_LEAST 4096 /* the same of an alternate stack, at a step */

/* What the program asks for: a size; its own memory, or 0. */
struct stack_asked {
	uintptr_t base;
	size_t size;
};
struct fiber *fiber_new(void *(*start)(void *), void *arg, bool detached,
			const struct stack_asked *asked);

/* It is about to make a step: on an alternate stack there must be room for that. */
void fiber_has_no_room(void) __attribute__((noreturn));
static inline void fiber_has_room(const struct fiber *f, uintptr_t sp)
{
	if (__builtin_expect(f->aside.hi != 0, 0) && sp - f->aside.lo < ASIDE_LEAST)
		fiber_has_no_room();
}

void fiber_switch(struct fiber *to);
void fiber_to_root(void) __attribute__((noreturn));

/* From the root: runs fiber 0 until the execution ends. */
void fiber_run_main(void);
void fiber_finish(void *retval) __attribute__((noreturn));

/* The fiber with this pthread_t, or NULL. */
struct fiber *fiber_of(uint64_t handle);
struct fiber *fiber_to_join(uint64_t handle); /* which makes no difference between twins */

/* Is it where the stacks are that the runtime has given? */
static inline bool in_stacks(uintptr_t addr)
{
	return addr - STACK_BASE < MAX_FIBERS * STACK_STRIDE;
}

/* Whose stack (guard page included) holds addr, or NULL. */
struct fiber *fiber_by_stack(uintptr_t addr);

/* Whose thread-local storage holds addr, and where in it; or NULL. */
struct fiber *fiber_by_tls(uintptr_t addr, uint64_t *offset);

/* Do all have the same thread-local storage? Then only libc uses it. */
bool fibers_share_tls(void);

/* Does each run on a thread of its own (carriers.h)? */
bool fibers_have_threads(void);

/* Of f's thread-local variables, which are a part of its state. */
uint64_t fiber_tls_hash(const struct fiber *f);

/* At the rollback: what is left on the stacks. */
void fibers_wipe_stacks(void);

/* The i-th thread's TLS, and the real stack that it is on top of; false if there are no more. */
bool fibers_tls(unsigned i, uintptr_t *lo, uintptr_t *hi);
uint64_t fibers_tls_hash(void); /* what differs from the snapshot */
void fibers_snapshot_tls(void);
void fibers_restore_tls(void);

/* A library with thread-local variables was loaded. */
void fibers_late_tls(void);

#endif
