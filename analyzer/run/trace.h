/* SPDX-License-Identifier: MIT
 *
 * run/ reads run directories and their traces. It includes base/ and format/.
 *
 * A run directory in memory, and one trace of it decoded. Implemented in reader.c (the
 * directory, the tables) and trace_reader.c (records, classes).
 */
#ifndef LINCHPIN_RUN_TRACE_H
#define LINCHPIN_RUN_TRACE_H

#include "base/util.h"
#include "format/run_dir.h"
#include "format/trace_format.h"

struct module {
	char *path;
	char *build_id; /* hex, or "-" */
	uint64_t size;
};

struct context {         /* a node of the calling context tree: a call that is on the stack */
	uint32_t parent; /* NONE: the thread's start */
	uint32_t module; /* NONE: pc is absolute */
	uint64_t pc;     /* return address of the call, offset in the module */
};

struct site {
	uint8_t kind;    /* enum lp_kind */
	uint8_t flags;   /* LP_SITE_* */
	uint32_t size;   /* bytes accessed */
	uint32_t module; /* NONE: absolute pc */
	/* return address of the hook call (the access is just before or after it), or for crashes
	 * the faulting instruction */
	uint64_t pc;
	uint32_t context; /* innermost call on the stack, NONE if it is unknown */
};

struct location {
	uint8_t type; /* enum lp_loc_type */
	uint32_t a, b;
	uint64_t offset;
	uint32_t region; /* equal for locations of one object: same type, a, b */
	uint32_t object; /* run->objects entry whose location equals this one, or NONE */
};

struct thread_info {
	uint32_t parent; /* NONE for the main thread */
	uint32_t number; /* the n-th child of its parent, from 1 */
	uint32_t module;
	uint64_t pc; /* start routine */
	char *name;  /* "0", "0.1", "0.1.2" */
};

struct object {
	uint32_t location;
	uint32_t specification; /* string id */
};

/* A word of a recorded stack. */
struct stack_value {
	uint8_t kind;    /* enum lp_stack_value */
	uint32_t module; /* of LP_STACK_CODE */
	uint64_t at;     /* pc in the module; bytes below the top of the stack */
};

struct stack_word {
	uint32_t index; /* words above the stack pointer */
	struct stack_value value;
};

struct stack {
	uint32_t thread;
	struct stack_value registers[LP_STACK_REGISTERS]; /* by their numbers in DWARF */
	struct stack_word *words;                         /* by index */
	uint32_t nwords;
};

struct run {
	char *directory, *program, *cwd, *check, *search, *progress, *malloc;
	char *input;   /* the file that it had as standard input; NULL: it is not known */
	bool observers, symmetric; /* there is not each class (LINCHPIN_EQUIVALENCE) */
	bool stateful;  /* nor here: executions end in states that were met before (search) */
	char *enforce; /* what the blocks in force mean; NULL: there are none */
	char **argv;   /* argc entries and a NULL */
	int argc;
	uint64_t max_steps; /* that a thread may take; 0: not known */
	struct lp_status status;
	struct module *modules;
	uint32_t nmodules;
	struct context *contexts;
	uint32_t ncontexts;
	struct site *sites;
	uint32_t nsites;
	struct location *locations;
	uint32_t nlocations;
	struct thread_info *threads;
	uint32_t nthreads;
	struct object *objects;
	uint32_t nobjects;
	char **strings;
	uint32_t nstrings;
	uint32_t *notes;
	uint32_t nnotes; /* string ids */
	struct stack *stacks;
	uint32_t nstacks;
	struct limit {
		uint32_t kind; /* LP_LIMIT_* */
		uint32_t site, location;
		uint32_t stack; /* of a thread that was stopped between two events; NONE */
		uint32_t name;  /* string, of a call; NONE */
	} * limits;             /* where they were reached */
	uint32_t nlimits;
	struct leak {
		uint64_t class, blocks, bytes;
		uint32_t site; /* of the allocation */
		uint32_t location; /* of the first block */
	} * leaks;
	uint32_t nleaks;
	uint32_t nlooks; /* classes whose ends were looked at */
	uint32_t nregions;
	struct run_private *private;
};

/* Has a search that was finished recorded each class? Otherwise only each history and each end. */
static inline bool run_has_classes(const struct run *run)
{
	return !run->observers && !run->symmetric && !run->stateful;
}

struct event {
	uint32_t site;
	uint16_t thread;
	uint8_t kind;       /* of the site */
	uint8_t access;     /* enum lp_access */
	uint8_t futex;      /* about those who wait on the location: see lp_futex_kind() */
	bool again;         /* ALLOC: of a block that had been freed */
	uint32_t size;      /* of the site; for FREE and ALLOC of the block */
	uint32_t location;  /* NONE if the kind has none */
	uint32_t location2; /* WAIT: the mutex; of a futex what lp_kind_second() says; else NONE */
	uint32_t region;    /* of the location */
	uint64_t offset;    /* in the region */
	uint32_t op;        /* index into trace->ops, NONE outside operations */
	uint32_t other; /* CREATE, JOIN: thread; CALL: string id of the name; RETURN: result kind */
	uint64_t value[2]; /* READ, WRITE, CAS_FAIL: [0]; RMW: old, new; RETURN: [0] (as int64_t) */
};

struct operation {
	uint16_t thread;
	uint32_t object; /* location id of the object's address */
	uint32_t name;   /* string id */
	uint32_t nargs;
	int64_t args[4];
	uint8_t ret_kind; /* 0 void, 1 value, 2 empty; meaningless while pending */
	int64_t ret;
	uint32_t call, ret_event; /* event indices; ret_event NONE: pending */
};

struct waiter {
	uint32_t thread, site, location, holder; /* NONE where unknown */
	uint8_t why;                             /* enum lp_wait */
};

struct outcome {
	uint8_t kind;          /* enum lp_outcome */
	uint32_t thread, site; /* NONE where unknown */
	int64_t code;
	uint32_t message; /* string id or NONE */
	uint32_t stack;   /* in run->stacks, or NONE */
	struct waiter *waiters;
	uint32_t nwaiters;
};

/* One class, as the execution that represents it. Buffers are reused from one run_next to the
 * next. */
struct trace {
	uint64_t number; /* from 1 */
	struct event *events;
	uint32_t nevents;
	uint32_t events_capacity;
	/* Of the events at the end, those that trace_add_end has added; of them, those that have not
	 * happened: threads wait there; and those that other threads would have done next (judge/beyond.h). */
	uint32_t nadded, npending, nbeyond;
	struct operation *ops;
	uint32_t nops;
	uint32_t ops_capacity;
	struct outcome outcome;
	uint32_t waiters_capacity;
	uint32_t nthreads; /* highest thread id used + 1 */
};

/* Opens a run directory; NULL and *e on failure (missing, of another version, broken). A trace that
 * ends early because the writer was killed is not an error. Close it with run_close. */
struct run *run_open(const char *directory, struct error *e);
void run_close(struct run *run);

/* Reads the next class into *t (zero-initialise it before the first call): 1 one was read, 0 there
 * is none, -1 the trace is broken here (*e says where). Tables of *run grow as records are met. */
int run_next(struct run *run, struct trace *t, struct error *e);
/* Goes back to before the first class. */
void run_rewind(struct run *run);
/* Reads class `number` (from 1). 1, 0 if there is none, -1. Afterwards run_next reads the one after
 * it. */
int run_load(struct run *run, uint64_t number, struct trace *t, struct error *e);

/* Has event i not happened, because its thread waits there when the execution ends? */
static inline bool trace_pending(const struct trace *t, uint32_t i)
{
	return i >= t->nevents - t->npending;
}

/* Has event i not happened, and nothing comes after it? */
static inline bool trace_imagined(const struct trace *t, uint32_t i)
{
	return i >= t->nevents - t->npending - t->nbeyond;
}

/* The event after which its thread ended the execution, by it or by what it did next: nothing can be put
 * off to after it. NONE if the execution did not end so. */
uint32_t trace_final(const struct trace *t);

/* Appends what the end of the execution tells: what threads wait for in a deadlock or livelock, an event
 * for each, which has not happened; or the access at fault if it is not there. A lock or semaphore is
 * accessed as it would be; other waits access nothing. */
void trace_add_end(const struct run *run, struct trace *t);
static inline void trace_drop_end(struct trace *t)
{
	t->nevents -= t->nadded;
	t->nadded = t->npending = t->nbeyond = 0;
}

void trace_free(struct trace *t);
/* A deep copy, and what it needs freed. */
void trace_copy(struct trace *to, const struct trace *from);

/* Do two events conflict: different threads, overlapping bytes of one region, accesses whose order
 * matters? */
static inline bool events_conflict(const struct event *a, const struct event *b)
{
	if (a->thread == b->thread || !lp_access_conflict(a->access, b->access))
		return false;
	if (a->region == b->region && a->offset < b->offset + b->size &&
	    b->offset < a->offset + a->size)
		return true;
	return false;
}

/* Is event i what the allocator does to a freed block that it gives out again? That has its place in the order of all
 * events, but is no access of the program's: those that it conflicts with conflict with the free before it. */
static inline bool trace_gives_again(const struct trace *t, uint32_t i)
{
	return i + 1 < t->nevents && t->events[i + 1].again;
}

/* The schedule of a trace as text (see run_dir.h); free it. */
char *trace_schedule(const struct run *run, const struct trace *t);

#endif
