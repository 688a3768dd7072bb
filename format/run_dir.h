/* SPDX-License-Identifier: MIT
 *
 * The run directory: what one exploration leaves behind.
 *
 *	RUNDIR/run       text, one `key value` a line: format, program, cwd, argc, arg (argc times),
 *search, seed, max-executions, max-time, max-steps, check, isolate, malloc, instrument, skip,
 *replay RUNDIR/modules text, one module a line: id, build-id in hex or -, size in hex, path
 *RUNDIR/trace     binary, see trace_format.h RUNDIR/ops       text: the operations of a
 *specification file, resolved for this program; see below RUNDIR/self      a run directory: the
 *same program with its operations one at a time (LINCHPIN_SEARCH=sequential); only where some
 *object has the specification `self` RUNDIR/status    binary, struct lp_status, mapped by the
 *runtime and updated in place: progress while it runs, the summary afterwards; readable whenever
 *the process dies
 *
 * Everything but the times in `status` is the same from run to run. Text values have \n, \\ and
 *other control bytes escaped as \ooo.
 *
 * The environment is how the analyzer speaks to the runtime (and how a bare LD_PRELOAD run is
 *configured):
 *
 *	LINCHPIN_DIR             run directory (made if absent); default: a new ./linchpin.N
 *	LINCHPIN_SEARCH          dfs | dpor | random | sequential         (dpor)
 *	                         sequential: operations one at a time, in every order
 *	LINCHPIN_SEED            seed of the random search                (1)
 *	LINCHPIN_MAX_EXECUTIONS  0 = no bound                             (0)
 *	LINCHPIN_MAX_TIME        seconds, may have a fraction; 0 = none   (60)
 *	LINCHPIN_MAX_STEPS       steps an execution may take              (20000)
 *	LINCHPIN_CHECK           lin | outcome | none                     (lin)
 *	LINCHPIN_ISOLATE         rollback | fork                          (rollback)
 *	LINCHPIN_MALLOC          reuse | quarantine                       (reuse)
 *	LINCHPIN_INSTRUMENT      globs of functions or modules whose accesses are seen; none
 *	LINCHPIN_SKIP            globs of functions whose accesses are not
 *	LINCHPIN_TLS             auto | fsgsbase | prctl | shared         (auto)
 *	LINCHPIN_OPS             file like RUNDIR/ops: functions that are operations
 *	LINCHPIN_SPEC            of a bare run: a specification file, or the name of a specification
 *	LINCHPIN_REPLAY          file with one schedule a line; runs exactly those instead of a
 *search LINCHPIN_REPORT          1: when done, become `linchpin report` (a bare run; default unless
 *set to 0) LINCHPIN_QUIET           1: say nothing but errors
 *
 * A schedule is one line of text: thread names (0, 0.1, 0.1.2: by creation) with repeat counts, for
 *the steps in order: "0x3 0.1 0.2x7 0.1x2". After its end the lowest runnable thread runs on.
 *
 * RUNDIR/ops has a line each:
 *
 *	ops 1                    the version
 *	object N SPECIFICATION   the rest of the line, as for linchpin_object()
 *	module N PATH            of the program (0) or a library
 *	op MODULE ADDRESS OBJECT NAME SOURCE|- NARGS SOURCE... RESULT
 *
 * ADDRESS is hexadecimal, as linked. The first SOURCE is the address of the object; with - there is
 *one object, which has its number for an address. A SOURCE is where a value is found: `0s4`,
 *argument register 0 to 5 (rdi rsi rdx rcx r8 r9), as it is at the entry, signed (s), unsigned (u)
 *or boolean (b), of 1, 2, 4 or 8 bytes; `*0s4`, what it points to (of an argument at the entry, of
 *a result at the return); `rs4`, what is returned; `c1f`, a number, hexadecimal; `a11c0`, an
 *address as linked. A RESULT is a SOURCE, `empty`, `void`, or `if SOURCE == NUMBER RESULT RESULT`
 *with
 * == != < <= > >= and a hexadecimal number of 64 bits.
 *
 * Exit status of a run with LINCHPIN_REPORT=0: 0 the search ran (see status), 2 misuse or set-up
 *error. Messages go to standard error.
 */
#ifndef LP_RUN_DIR_H
#define LP_RUN_DIR_H

#include <stdint.h>

#define LP_RUN_VERSION  1
#define LP_STATUS_MAGIC 0x315441545350434cULL
#define LP_MAX_THREADS  64

enum lp_end {
	LP_END_RUNNING = 0, /* or killed */
	LP_END_COMPLETE,    /* the search space is exhausted */
	LP_END_EXECUTIONS,  /* LINCHPIN_MAX_EXECUTIONS reached */
	LP_END_TIME,        /* LINCHPIN_MAX_TIME reached */
	LP_END_INTERRUPTED, /* by a signal */
	LP_END_ERROR,       /* the runtime gave up; it has said why */
	LP_END_REPLAYED     /* LINCHPIN_REPLAY: all schedules ran */
};

/* What limited a search that ended otherwise; ORed into lp_status.limits. */
#define LP_LIMIT_STEPS    0x1 /* an execution reached the bound on steps */
#define LP_LIMIT_SPIN     0x2 /* a loop was taken for a spin loop by its length only */
#define LP_LIMIT_MEMORY   0x4 /* classes are no longer told apart: the table is full */
#define LP_LIMIT_TIMEOUTS 0x8 /* timed waits: only one time-out in a row was explored */

struct lp_status {
	uint64_t magic;
	uint32_t version;
	uint32_t end;          /* enum lp_end */
	uint64_t executions;   /* started and ended, sleep-set blocked ones included */
	uint64_t blocked;      /* cut short because every runnable thread was asleep */
	uint64_t classes;      /* class records written */
	uint64_t events;       /* events of all executions */
	uint64_t steps;        /* scheduling decisions of all executions */
	uint64_t outcomes[16]; /* by enum lp_outcome, of classes */
	uint64_t trace_bytes;  /* valid bytes of RUNDIR/trace */
	uint64_t max_events;   /* of one execution */
	uint64_t calls;        /* operations begun, over all classes */
	uint64_t shared;   /* locations that two threads were seen to touch, one of them writing */
	double estimate;   /* of the part of the search done, 0..1; negative: unknown */
	double seconds;    /* so far; wall clock */
	uint32_t threads;  /* most threads of one execution */
	uint32_t limits;   /* LP_LIMIT_* */
	uint32_t restarts; /* explorations begun again because a stack location became shared */
	uint32_t hooks;    /* 1 if any compiler hook was called */
	uint32_t pid;
	uint32_t pad;
	double cpu_seconds; /* of the process and its children, once it has ended */
};

#endif
