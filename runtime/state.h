/* SPDX-License-Identifier: MIT
 *
 * The runtime's state. Everything that changes lives in one struct at the start of one mapping, so
 * that it can be shared with the children of --isolate=fork and is never part of what a rollback
 * restores. Only the table of real functions is an ordinary variable, and whether the struct is there;
 * they are set once. Where it is, is known when this is compiled: nothing has to look for it at each step.
 *
 * Words: an *execution* is one run of the program's main. Its *log* is an array of events; those
 * that the scheduler chose a thread for are *steps*. A *fiber* is a thread of the program.
 */
#ifndef LP_STATE_H
#define LP_STATE_H

#include "base.h"
#include "config.h"
#include "event.h"
#include "fiber.h"
#include "offsets.h"
#include "outcome.h"
#include "places.h"
#include "waiting.h"

struct heap;
struct others;
struct shadow;
struct strategy;
struct writer;

/* Why no further execution is begun. */
enum stop { STOP_NOT, STOP_TIME, STOP_INTERRUPTED, STOP_FOUND, STOP_FULL };

/* The runtime does not, it does, or it does to find out what a compare-exchange turns out to be. */
enum accessing { ACCESS_NOT, ACCESS_MADE, ACCESS_COMPARES };

/* What instrumented copies of functions exchange with the runtime (instrument/emit.c, stubs.S). */
struct instr {
	uint64_t rax, rcx, addr, resume;
	void (*slow)(void), (*enter)(void);
	struct call_frame *frame; /* top of the running fiber's */
	uint64_t rdx, flags;      /* at an entry */
	void (*enter_flags)(void);
	uint64_t *full;           /* equal to rt->entry: at a site */
	const void *site;         /* which */
	uint64_t skip;            /* words above the entry that are nobody's */
	uint32_t element;         /* which step of a site of several, from 1; 0 */
	uint8_t on;
	uint8_t in_use;           /* extended state of the fiber that ran last, extended.c */
	uint64_t tail_pc, tail_sp; /* behind the latest jump out of a function, and its rsp there */
	const uint64_t *tail_to;   /* where the function that it leads to is written */
	uint64_t tail_target;      /* if that is nowhere else */
	struct call_frame *tail_room; /* of the running fiber: further up no jump gets a frame */
};

enum {
	SENDS_CANCEL = 1,
	SENDS_SIGNALS = 2,
	SENDS_ALONE = 4, /* to a thread that is the only one, and computes */
	SENDS_CAUGHT = 8 /* signals, and some have a handler */
};
#define MAX_SENT	256
#define SENT_TO_PROCESS 0xff

struct runtime {
	/* Assembly reads these: see offsets.h. */
	uint8_t tracing; /* 0: accesses are not events now */
	uint8_t running; /* inside an execution, on behalf of the program */
	uint8_t opened;  /* a function that opens descriptors was called */
	uint8_t tls_traced; /* the running fiber's accesses through FS may be events now */
	uint8_t looking;    /* accesses are events, or at least looked at (set_tracing) */
	uint8_t freed;      /* a block was freed, or a thread ended, in this execution */
	uint8_t keeps_arguments; /* of the runtime's functions, see fingerprint.h */
	uint8_t pad[1];
	uintptr_t stack_lo;   /* of the running fiber */
	uintptr_t stack_size; /* 0 once it is shared */
	uint64_t *entry;      /* registers saved at the latest hook entry, see ENTRY_* */
	struct instr instr;

	/* The log, and the scheduler (sched.c). */
	struct fiber *cur;
	struct event *log;
	uint32_t (*clocks)[MAX_FIBERS]; /* after each event of the log */
	uint64_t *enabled;              /* before each step of the log: who could be chosen */
	uint32_t n;                     /* events in the log */
	uint32_t debug_at;              /* the number of the event that a debugger waits for; 0 */
	uint32_t prefix;                /* the log up to here is replayed */
	uint32_t kept;                  /* up to here, what is derived from it is there, and it is only compared */
	uint32_t entered;               /* the shadow has what events up to here access */
	int32_t choice;                 /* the thread of log[prefix], -1: ask the strategy */
	uint32_t steps;
	uint32_t unjoined; /* threads that others may still run beside */
	uint64_t ready;    /* fibers whose pending event does not wait */
	uint64_t blocked;  /* fibers whose pending event has a wait */
	uint64_t eager;    /* run before any choice: starts and finished joins */
	struct waiting waiting; /* in loops (waiting/) */
	uint64_t unborn;      /* twins that have not begun (twins.c) */
	uint64_t exiting;     /* about to end the process */
	bool main_returned;   /* what it had on its stack is not there any more */
	uint64_t progress;    /* grows with every event, for the watchdog to see */
	struct {
		uint64_t cond, who;
	} signals[MAX_FIBERS]; /* on their way: to one of these fibers; see interpose/cond.c */
	uint32_t nsignals;
	uint8_t sends;    /* SENDS_*: what executions were seen to send to threads; then it is a matter of the search */
	uint64_t signals_waited, signals_handled; /* of all executions: in sigwait; sent to the process, and taken otherwise */
	uint64_t reading_text; /* who may have announced that it reads a string (instrument/text.c) */
	uint64_t takers;  /* who could take something when the latest step was chosen */
	uint8_t asking;  /* 1 + the fiber for which the kernel is asked what only it knows; 0: the running one */
	uint64_t passed; /* a hash of what was done to channels */
	uint8_t channels_joined; /* in this or another execution several are looked at in one step */
	uint32_t nsent;
	struct sent {
		uint8_t signal, to; /* fiber, or SENT_TO_PROCESS */
		uint8_t timer;      /* from 1; 0: no timer has sent it */
		int code;
		uint64_t value;
	} sent[MAX_SENT]; /* signals that were not taken yet, in order */
	uint64_t futex_turns; /* of all executions: only their order counts */
	uint8_t blocks;    /* in force: enum in_force */
	uint8_t glued;     /* 1 + the fiber that goes on, its next event being glued; 0 */
	uint8_t aborted;   /* the step that began at `head` had to wait inside a block */
	uint32_t head;     /* log index of the first event of the running step; NO_EVENT */
	uint64_t *barred;  /* before each step of the log: who would have to wait inside */
	uint32_t barred_to; /* that is known up to here */
	uint64_t stuck;    /* who would have to wait inside, and nobody else is left */
	struct {
		int32_t locked, pad[7]; /* as large as a lock may be */
	} block_lock;      /* around all blocks, with BLOCKS_LOCK */
	const struct strategy *strategy;
	struct others *others;   /* search/observed.c */
	uint64_t observed_hash;  /* of the class, with --equivalence=observers */
	struct call *calls;
	uint32_t ncalls;

	/* Fibers (fiber.c). */
	uint32_t nfibers;
	struct fiber fibers[MAX_FIBERS];
	void *root_sp;
	uint64_t root_fs, fs_now;
	uint8_t *shared_stack[MAX_FIBERS]; /* a bit for each granule of stack that others touch */
	struct {
		uintptr_t lo, hi;
	} shared_tls[MAX_FIBERS]; /* the same of thread-local storage; empty: none */
	uintptr_t tls_lo, tls_size; /* all thread-local storage is there, and other things */
	unsigned share_round;

	/* This execution (outcome.c, explore.c). */
	struct outcome outcome;
	uint8_t ended;        /* it has its outcome */
	uint8_t no_class;     /* it is not a class: redundant, abandoned */
	uint8_t placing;     /* the running fiber is in a loop without events, the place of which is looked for (spinning.c) */
	uint8_t minding;     /* accesses of a thread that is alone are counted there, for timers to run out */
	uint8_t need_restart; /* a stack location became shared: begin the exploration again */
	uint8_t cut;          /* a bound has ended it */
	uint8_t judge;        /* all that are left wait in loops: is that a livelock? */
	uint8_t verdict;      /* the answer: enum look_verdict; 0 */
	uint8_t questions;    /* about it are open, so it is not accounted yet */
	uint8_t again;        /* it is run once more, only for the record */
	uint8_t record;       /* it is recorded, though it is redundant */
	uint64_t end_state;   /* look_state() at its end, if there is something to judge */
	uint8_t loops_known;  /* something is known of loops (waiting/loops.c) */
	uint8_t need_again;   /* the same execution, from its beginning: visits.c, or... */
	uint8_t need_donors;  /* ...more threads than ever before */
	uint8_t searching;     /* executions may be broken off when time is up */
	volatile uint8_t late; /* it is: break off */
	uint8_t broken_off;    /* this one was, so it does not count */
	uint8_t probing;       /* it is to show what its last step does, and does not count (part.c) */
	uint8_t ends_watched;  /* that a thread ends is a step: a join without waiting sees it */
	uint8_t given_stacks;  /* some threads have stacks in the program's own memory */
	uint8_t loaded;        /* the loader was called */
	uint8_t late_tls;      /* libraries with thread-local variables are loaded in executions */
	uint8_t slept;         /* in this execution a thread sleeps, or waits until a moment */
	uint8_t timed;         /* the program looks at the time, in this or another execution */
	uint8_t forked;        /* the program has started other processes */
	uint32_t reaped;       /* how many of them it has waited for */
	uint8_t child;         /* this is a process that the program has started by fork */
	uint8_t printed;       /* the first whole execution has had its output */
	uint8_t accessing;     /* the runtime touches memory on behalf of the program: enum accessing */
	uint8_t looking_up;    /* it asks the loader for functions: libc allocates for it */
	uint8_t random;        /* the kernel draws addresses, and cannot be asked to leave that */
	volatile uint8_t stop; /* enum stop */
	volatile uint8_t hung;

	/* The run. */
	struct config config;
	int fd_err, fd_out, fd_null, fd_dir;
	int fd_first;                    /* descriptors from here on up are the runtime's */
	uint32_t target_pid, target_tid; /* of whom the watchdog interrupts */
	struct lp_status *status;
	double begin, start; /* seconds_now() when the process and when the search began */
	double interrupted;  /* when the first signal asked for the end */
	uint32_t end;	     /* enum lp_end; the status has it when all files are whole */
	uint32_t keep; /* leading events that equal those of the class written last (trace.c) */
	struct heap *heap;
	struct shadow *shadow;
	struct writer *writer;
	uint64_t bump, bump_end; /* memory.c */
};

#define AT(member, offset)                                                                         \
	_Static_assert(offsetof(struct runtime, member) == (offset), "offsets.h is wrong")
AT(tracing, RT_TRACING);
AT(running, RT_RUNNING);
AT(looking, RT_LOOKING);
AT(keeps_arguments, RT_KEEPS_ARGUMENTS);
AT(stack_lo, RT_STACK_LO);
AT(stack_size, RT_STACK_SIZE);
AT(entry, RT_ENTRY);
AT(instr.rax, RT_INSTR_RAX);
AT(instr.rcx, RT_INSTR_RCX);
AT(instr.addr, RT_INSTR_ADDR);
AT(instr.resume, RT_INSTR_RESUME);
AT(instr.frame, RT_INSTR_FRAME);
AT(instr.rdx, RT_INSTR_RDX);
AT(instr.flags, RT_INSTR_FLAGS);
AT(instr.tail_pc, RT_INSTR_TAIL_PC);
AT(instr.tail_sp, RT_INSTR_TAIL_SP);
AT(instr.tail_to, RT_INSTR_TAIL_TO);
AT(instr.tail_room, RT_INSTR_TAIL_ROOM);
#undef AT

enum in_force { BLOCKS_NONE = 0, BLOCKS_ATOMIC, BLOCKS_LOCK };

#define rt ((struct runtime *)RUNTIME_PLACE)
extern bool rt_there;

/* In an execution, on behalf of the program? Otherwise an interposed call goes to the real
 * function. */
static inline bool active(void)
{
	return LIKELY(rt_there) && rt->running;
}

/* Of two clocks, the entries of all threads that there are; the others mean nothing. */
static inline void clock_copy(uint32_t *to, const uint32_t *from)
{
	typedef uint64_t __attribute__((may_alias, aligned(4))) pair;

	for (unsigned i = 0; i < rt->nfibers; i += 2)
		*(pair *)(to + i) = *(const pair *)(from + i);
}

/* Room for events in the log. */
static inline size_t log_capacity(void)
{
	return rt->config.max_steps * 4 + 64;
}

#endif
