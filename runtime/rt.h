/* SPDX-License-Identifier: MIT
 *
 * The runtime's state and the calls between its files.
 *
 * Everything that changes lives in one struct at the start of one mapping (struct runtime), so that
 * it can be shared with the children of --isolate=fork and is never part of what a rollback
 * restores. Only the pointer `rt` and the table of real functions are ordinary variables; they are
 * set once.
 *
 * Words: an *execution* is one run of the program's main. Its *log* is an array of events; those
 * that the scheduler chose a thread for are *steps*. A *fiber* is a thread of the program.
 */
#ifndef LP_RT_H
#define LP_RT_H

#include "base.h"
#include "../instrument/load.h"
#include "strategy.h"
#include "../format/run_dir.h"
#include "../format/trace_format.h"

#define MAX_FIBERS    LP_MAX_THREADS
#define MAIN_STACK    (8UL << 20)
#define STACK_RESERVE (32UL << 10)     /* left for the runtime and libc */
#define STACK_BASE    0x0f0000000000UL /* fixed places: the same addresses in every run */
#define STACK_STRIDE  (64UL << 20)
#define HEAP_BASE     0x100000000000UL
#define ARGUMENTS     0x0e0000000000UL /* main's argv */
/* One window a thread, so that its addresses do not depend on the others. */
#define HEAP_WINDOW   (1UL << 32)
#define SYSTEM_WINDOW MAX_FIBERS /* for what the runtime makes libc allocate outside executions */
#define NO_EVENT      UINT32_MAX

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
};

/* The next event of a fiber, announced before it happens. */
struct pending {
	uint8_t kind;    /* enum lp_kind; resolved when it happens (see resolve()) */
	uint8_t flags;   /* LP_SITE_* */
	uint8_t wait;    /* enum wait: not enabled before the object allows it */
	uint8_t attempt; /* never waits: fails instead (trylock, trywait, timed) */
	uint8_t compare; /* a compare-exchange: `expected` decides */
	uint32_t size;
	uint64_t addr, addr2;   /* addr2: the mutex of a condition wait */
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
	uint64_t block; /* heap object: thread << 32 | n-th allocation; 0 if none */
	uint64_t block_base;
	uint64_t hash; /* of the log up to and including this event, order-insensitive (see
			  shadow.c) */
	uint32_t seq;  /* the n-th step of its thread, from 1: what clocks count */
	uint32_t size;
	uint32_t context;
	uint32_t acquired; /* of an unlock: the log index of the lock it ends; else NO_EVENT */
	uint32_t op;       /* CALL: index into rt->calls; RETURN: result kind */
	struct ids ids;    /* once it has been written to the trace */
	uint8_t kind, flags, thread, other;
	uint8_t available; /* the object could be acquired before the step */
	uint8_t wait;      /* enum wait of what was announced, 0 for attempts */
	uint8_t pad[2];
};

struct held { /* a lock that a fiber holds, and the step that acquired it */
	uint64_t addr;
	uint32_t index;
};
#define MAX_HELD 32

struct frame { /* a function entered, see instrument/stubs.S */
	uint64_t sp, ret;
	int32_t context; /* -1: not known yet */
};
#define MAX_OPEN 64

enum fiber_state { FIBER_FREE = 0, FIBER_START, FIBER_LIVE, FIBER_FINISHED };

struct cleanup; /* libc's __pthread_unwind_buf_t */

struct spin {
	uint64_t pc, sp, regs[6], addr, expected;
	uint32_t anchor; /* log index at the anchor */
	uint32_t last;   /* last event of the loop when it was found to spin */
	uint32_t reads;  /* events since the last one that wrote */
	uint32_t next;   /* take a new anchor when `reads` gets there */
	uint32_t copied; /* bytes of stack kept */
	uint8_t *stack;
	uint8_t full;  /* at a site of instrumentation: all registers are compared */
	uint8_t guess; /* taken for a spin loop by its length only */
};

struct fiber {
	void *sp;
	uint64_t fs;
	uint64_t handle;              /* pthread_t */
	uintptr_t stack_lo, stack_hi; /* without the guard page */
	uintptr_t stack_low_seen;     /* lowest stack pointer seen at an event */
	uint8_t id, state, detached, joined, shared_stack;
	uint8_t in_op;
	uint8_t parent, children;
	uint8_t joiner; /* id + 1 of who is blocked in join */
	uint8_t nheld;
	uint8_t loading; /* in calls of the loader, which are one step */
	uint32_t seq;    /* steps so far */
	uint32_t allocations;
	uint32_t context;
	uint32_t late_write; /* log index of a plain write whose value is not known yet */
	uint32_t last_event;
	uint64_t queued;  /* in the queue of a futex: the turn */
	uint8_t eligible; /* condition wait: was queued when somebody signalled */
	uint8_t woken;    /* futex wait: somebody woke it */
	uint8_t timeouts; /* in a row */
	uint64_t slept;   /* microseconds of virtual time */
	uint32_t round;   /* barrier: the round it arrived in */
	int errno_saved;
	struct pending pending;
	void *(*start)(void *);
	void *arg, *retval;
	struct cleanup *cleanup;
	struct frame *frames,
		*frame;    /* functions entered, those of copies only; frames[0] is below all */
	uint8_t *extended; /* vector and floating-point state while another fiber runs */
	uint8_t extended_whole;
	uint8_t framed;
	uint8_t nopen; /* calls of probed functions */
	struct open_call {
		uint64_t sp, back;
		uint32_t probe;
	} * open; /* MAX_OPEN of them */
	struct held held[MAX_HELD];
	struct spin spin;
	uint32_t clock[MAX_FIBERS]; /* by thread: how many of its steps happen before this fiber's
				       next */
};

struct call { /* an operation call in this execution */
	const char *name;
	uint32_t nargs;
	int64_t args[4];
};

struct config {
	char dir[1024], program[1024], replay[1024], ops[1024], report[1024];
	char instrument[1024], skip[1024]; /* globs between commas; empty: all, none */
	enum lp_search search;
	uint64_t seed, max_executions, max_steps;
	double max_time;
	bool fork, quarantine, bare, quiet;
	uint8_t tls;   /* enum tls_mode; 0 auto */
	uint8_t check; /* 0 lin, 1 outcome, 2 none */
};

struct heap;
struct shadow;
struct writer;

struct runtime {
	/* used by hooks.S: keep in step with it */
	uint8_t tracing; /* 0: accesses are not events now */
	uint8_t running; /* 4: inside an execution, on behalf of the program */
	uint8_t opened;  /* a function that opens descriptors was called */
	uint8_t pad[5];
	uintptr_t stack_lo,
		stack_size; /* 8, 16: of the running fiber; stack_size 0 once it is shared */
	uint64_t *entry;    /* 24: registers saved at the latest hook entry, see ENTRY_* */
	struct glue {       /* 32: what copies and instrument/stubs.S use */
		uint64_t rax, rcx, addr, resume;
		void (*slow)(void), (*enter)(void);
		struct frame *frame;    /* 80: top of the running fiber's */
		uint64_t *full;         /* equal to `entry`: at a site, and `registers` is valid */
		uint64_t registers[10]; /* caller-saved and flags, 0 where dead */
		uint64_t skip;          /* words above the entry that are nobody's */
		uint8_t on, vectors;    /* vectors: are any live here? */
		uint8_t in_use;         /* extended state of the fiber that ran last, extended.c */
	} glue;

	struct fiber *cur;
	struct event *log;
	uint32_t (*clocks)[MAX_FIBERS]; /* after each event of the log */
	uint64_t *enabled; /* before each step of the log: who could be chosen */
	uint32_t n;      /* events in the log */
	uint32_t prefix; /* the log up to here is replayed */
	int32_t choice;  /* the thread of log[prefix], -1: ask the strategy */
	uint32_t keep;   /* leading events that equal those of the class written last */
	uint32_t steps;
	uint32_t nfibers;
	uint32_t unjoined; /* threads that others may still run beside */
	uint64_t ready;    /* fibers whose pending event does not wait */
	uint64_t blocked;  /* fibers whose pending event has a wait */
	uint64_t eager;    /* fibers that run before any choice: starts and finished joins */
	uint64_t spinning;
	uint64_t exiting;  /* about to end the process */
	uint64_t progress; /* grows with every event; the watchdog looks */
	struct fiber fibers[MAX_FIBERS];
	void *root_sp;
	uint64_t root_fs, fs_now;
	struct {
		uint8_t kind, thread;
		int64_t code;
		uint64_t pc, addr; /* addr: the memory it is about, 0 if none */
		uint32_t context;
		char message[256];
	} outcome;
	uint8_t ended;        /* this execution has its outcome */
	uint8_t no_class;     /* it is not a class: redundant, abandoned */
	uint8_t need_restart; /* a stack location became shared: begin the exploration again */
	uint8_t need_donors;
	uint8_t loaded;        /* the loader was called in this execution */
	uint8_t late_tls;      /* libraries with thread-local variables are loaded in executions */
	uint8_t printed;       /* the first whole execution has had its output */
	uint8_t accessing;     /* the runtime touches memory on behalf of the program */
	volatile uint8_t stop; /* 1 time is up, 2 interrupted */
	volatile uint8_t hung;
	uint8_t *shared_stack[MAX_FIBERS]; /* a bit for each granule of stack that others touch */
	unsigned share_round;
	struct call *calls;
	uint32_t ncalls;
	int fd_err, fd_out, fd_null, fd_dir;
	int fd_first;                    /* descriptors from here on up are the runtime's */
	uint32_t target_pid, target_tid; /* of whom the watchdog interrupts */
	struct lp_status *status;
	double start; /* seconds_now() when the search began */
	struct heap *heap;
	struct shadow *shadow;
	struct writer *writer;
	struct config config;
	const struct strategy *strategy;
	uint64_t futex_turns;    /* of all executions: only their order counts */
	uint64_t bump, bump_end; /* of the runtime's own memory */
	struct {                 /* what a fiber has read and will write or compare */
		uint8_t *data;
		uint64_t size;
	} saved[MAX_FIBERS];
};

/* What hooks.S has pushed, from rt->entry up: r15 r14 r13 r12 rbx rbp, then the return address. */
#define ENTRY_PC 7
#define ENTRY_SP 8 /* the index just above: &entry[ENTRY_SP] was the caller's stack pointer */

extern struct runtime *rt;

static inline uint64_t bit(unsigned id)
{
	return 1ULL << id;
}

/* Room for events in the log. */
static inline size_t log_capacity(void)
{
	return rt->config.max_steps * 2 + 64;
}

/* memory.c: the runtime's own memory; zeroed, never given back. */
void memory_init(bool shared);
void *memory_get(size_t size);
/* Where else memory of the runtime is asked for: away from the libraries, so that what executions
 * map finds the same places free each time. */
uintptr_t working_place(size_t size);

/* config.c */
void config_read(char **envp);
const char *env_get(char **envp, const char *name);

/* switch.S */
void switch_stack(void **save, void *load);
void fiber_entry_thunk(void);

/* fiber.c */
void fibers_init(void); /* donors: real threads whose TLS the fibers use */
void fibers_more_donors(void);
void fibers_reset(void); /* before an execution */
struct fiber *fiber_new(void *(*start)(void *), void *arg, bool detached);
struct fiber *fiber_of(uint64_t handle);
void fiber_switch(struct fiber *to);
void fiber_to_root(void) __attribute__((noreturn));
void fiber_run_main(void); /* from the root: runs fiber 0 until the execution ends */
void fiber_finish(void *retval) __attribute__((noreturn));
struct fiber *
fiber_by_stack(uintptr_t addr); /* whose stack (guard page included) holds addr, or NULL */
/* Whose thread-local storage holds addr, and where in it; or NULL. */
struct fiber *fiber_by_tls(uintptr_t addr, uint64_t *offset);
void fibers_wipe_stacks(void);
void fibers_forget_shared(void);
bool stack_is_shared(const struct fiber *f, uintptr_t addr);
void stack_share(struct fiber *owner, uintptr_t addr, size_t size);
/* The i-th thread's TLS, and the real stack that it is on top of; false if there are no more. */
bool fibers_tls(unsigned i, uintptr_t *lo, uintptr_t *hi);
void fibers_late_tls(void); /* a library with thread-local variables was loaded */
void fibers_snapshot_tls(void);
void fibers_restore_tls(void);

/* checkpoint.c */
void checkpoint_take(void);
void checkpoint_rollback(bool data); /* false: only the books; the memory was a child's */
void checkpoint_add(uintptr_t lo, uintptr_t hi);
/* Books of the loader: what of [lo, hi) is not yet part of it, rolled back if rt->loaded. */
void checkpoint_add_books(uintptr_t lo, uintptr_t hi);
extern void *lp_text_lo, *lp_text_hi;
bool in_runtime_text(uintptr_t pc);

/* heap.c: the program's malloc */
void heap_init(void);
void heap_checkpoint(void);
void heap_rollback(bool data);
void *heap_alloc(size_t size, size_t align, bool clear);
size_t heap_size(void *p); /* 0: not a live block's start */
void heap_free(void *p, uint64_t pc);
/* The live or freed block around an address of the heap: names it; false if there is none. */
bool heap_name(uintptr_t addr, uint64_t *name, uint64_t *base, bool *freed);
static inline bool in_heap(uintptr_t addr)
{
	return addr - HEAP_BASE < (MAX_FIBERS + 1) * HEAP_WINDOW;
}

/* shadow.c: who touched what last */
void shadow_init(void);
void shadow_reset(void);
/* Enters an access of event `index` and lists the latest conflicting event of each other thread in
 * conflicts[], latest first, adding to the *n that are there. With index NO_EVENT nothing is
 * entered. */
void shadow_access(uint64_t addr, uint64_t size, bool write, uint32_t index, uint8_t thread,
		   uint32_t *conflicts, unsigned *n);
/* The last writing event on any byte of the range by a thread other than `thread`, NO_EVENT if
 * none. */
uint32_t shadow_last_write(uint64_t addr, uint64_t size, uint8_t thread);

/* sched.c */
struct event *
step(struct fiber *f); /* f->pending is set; returns when it has been chosen: the event */
struct event *note(struct fiber *f, unsigned kind, uint64_t addr, unsigned other);
void sched_reset(void);
void schedule_away(void) __attribute__((noreturn)); /* the running fiber is finished */
void schedule_blocked(void);        /* the running fiber waits for an eager wake-up */
int resolve(const struct fiber *f); /* the kind that its pending event would have now */
bool dependent(const struct pending *p, int kind, const struct event *e);
void set_tracing(void);
static inline void late_value(struct fiber *f);

/* Fills what all pending events have. */
static inline struct pending *announce(unsigned kind, const volatile void *addr, uint32_t size,
				       uint64_t pc)
{
	struct fiber *f = rt->cur;
	struct pending *p = &f->pending;

	p->kind = (uint8_t)kind;
	p->flags = p->wait = p->attempt = p->compare = 0;
	p->size = size;
	p->addr = (uint64_t)addr;
	p->addr2 = 0;
	p->pc = pc;
	if (UNLIKELY(rt->glue.on))
		instrument_context(f, (uint64_t)(rt->entry + ENTRY_SP));
	p->context = f->context;
	return p;
}

/* spin.c */
bool spin_check(struct fiber *f); /* true: f repeats itself until somebody writes */
void spin_wake(const struct event *e);
bool spin_release_guesses(void);

/* outcome.c */
void outcome_init(void);
void end_execution(unsigned kind, int64_t code, uint64_t pc, const char *message)
	__attribute__((noreturn));
void end_misuse_of_memory(unsigned kind, uint64_t pc, uint64_t addr, const char *message)
	__attribute__((noreturn));
void abandon_execution(void) __attribute__((noreturn));
void end_blocked(void) __attribute__((noreturn)); /* nobody can run */
/* The return address in the program of the library call that runs on the stack at sp; 0 if none. */
uint64_t program_caller(uint64_t sp);
void watchdog_start(void);
double seconds_now(void); /* monotonic, real */
void flush_program_output(void);

/* run_dir.c: the run directory */
void run_dir_make(void);
int descriptor_copy(int fd); /* out of the way of the numbers that the program will see */
int run_dir_file(const char *name, int flags); /* made anew, but with O_APPEND; the descriptor */
void *run_dir_map(int fd, size_t size);
void run_dir_describe(char **argv); /* the files `run` and `modules` */

/* trace.c, names.c: the trace */
void trace_init(char **argv);
void trace_class(void);   /* writes the log of this execution as a class */
void trace_restart(void); /* forgets the classes written */
void trace_finish(void);
void trace_object(uint64_t addr, const char *specification);
void trace_note(const char *text);
uint8_t *writer_record(size_t max); /* room for a record body */
void writer_commit(unsigned type, size_t length);
uint32_t intern_string(const char *s);
uint32_t intern_context(uint32_t context);
uint32_t intern_site(unsigned kind, unsigned flags, uint32_t size, uint64_t pc, uint32_t context);
uint32_t intern_location(uint64_t addr, uint64_t block, uint64_t block_base);
void names_init(void);
void names_forget(void); /* all ids are handed out anew */
void names_thread(uint32_t id);
uint32_t context_enter(uint32_t parent, uint64_t pc);
uint32_t context_parent(uint32_t context);
void put_varint(uint8_t **p, uint64_t v);
static inline void put_svarint(uint8_t **p, int64_t v)
{
	put_varint(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

/* explore.c */
void explore(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
	__attribute__((noreturn));
int run_program_main(void);

/* output.c */
void capture_output(void); /* from now on */
void show_output(void);    /* what the program has printed so far, unless it was shown */
void forget_output(void);

/* In an execution, on behalf of the program? Otherwise an interposed call goes to the real
 * function. */
static inline bool active(void)
{
	return LIKELY(rt != NULL) && rt->running;
}

/* The value of a plain write is in memory once the same fiber comes back to the runtime. */
static inline uint64_t peek(uint64_t addr, uint32_t size)
{
	switch (size) {
	case 1:
		return *(volatile uint8_t *)addr;
	case 2:
		return *(volatile uint16_t *)addr;
	case 4:
		return *(volatile uint32_t *)addr;
	case 8:
		return *(volatile uint64_t *)addr;
	default:
		return 0;
	}
}

static inline void late_value(struct fiber *f)
{
	if (f->late_write != NO_EVENT) {
		struct event *e = &rt->log[f->late_write];

		f->late_write = NO_EVENT;
		e->value[e->kind == LP_EV_RMW] = peek(e->addr, e->size);
	}
}

#endif
