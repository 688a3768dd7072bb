/* SPDX-License-Identifier: MIT
 *
 * The run directory: what one exploration leaves behind. docs/trace-format.md says the same in
 * prose.
 *
 * FILES
 *
 *	name      kind                written by   contents
 *	run       text                runtime      how the run was made; keys below
 *	modules   text                runtime      a line for each module: id, build-id in hex or -,
 *	                                           size in memory in hex, path
 *	trace     binary              runtime      see trace_format.h
 *	status    struct lp_status    runtime      progress while it runs, the summary afterwards.
 *	                                           Mapped and updated in place, so it can be read
 *	                                           whenever the process dies
 *	ops       text                analyzer     the operations of a specification file, resolved
 *	                                           for this program; format below
 *	self      run directory       analyzer     the same program, its operations one at a time
 *	                                           (LINCHPIN_SEARCH=sequential); where an object has
 *	                                           the specification `self` or a guess, and where
 *	                                           something is wrong
 *	blocks    text                analyzer     the code of blocks in force, see blocks.h; kept by a
 *	                                           bare run, too
 *	frontier  text                analyzer     of a search in parts: what is left of it
 *	keys      64-bit numbers      both         of a search in parts that meets classes again: one a
 *	                                           class, equal for equal classes
 *	parts     run directories     both         of the jobs of the running round
 *	left      text                runtime      in those: what a part hands back; format below
 *	steering  text                runtime      see below
 *	states    text                runtime      of sequential executions: the graph of their states
 *	coverage  binary              runtime      which instructions have run, see coverage.h; only if it
 *	                                           was asked for
 *	uninstrumented  text          runtime      functions that could not be instrumented, and why;
 *	                                           for people, not for programs
 *
 * `run` has a line `key value` for each of these, in this order:
 *
 *	format 1                 the version; readers refuse another one
 *	program PATH             the executable
 *	cwd PATH
 *	input PATH               the file that is its standard input, if it is one and was at its
 *	                         beginning
 *	argc N
 *	arg TEXT                 argc times, argv[0] first
 *	search NAME              of format/search.h
 *	seed N
 *	max-executions N         0: no bound
 *	max-time-ms N            milliseconds; 0: no bound
 *	max-steps N
 *	check NAME               lin, outcome or none
 *	progress NAME            none, obstruction-free, lock-free or wait-free
 *	isolate NAME             rollback or fork
 *	malloc NAME              reuse, thread or quarantine
 *	spurious yes             only if given: waits may end without a signal
 *	equivalence NAME         observers, symmetry or observers+symmetry, only if given: there is not each
 *	                         class, but each history and end, up to the names of twins (see
 *	                         lp_status.every_order)
 *	instrument GLOBS         only if given
 *	skip GLOBS               only if given
 *	enforce NAME             atomic or lock; only if there are blocks in force
 *
 * Readers ignore keys that they do not know. In values and paths, control bytes, 0x7f and the
 * backslash are written as a backslash and three octal digits (a newline is \012). Two runs with
 * the same options write the same bytes, except for the times and the process in `status`, and for what a
 * program has made of its process's id.
 *
 * ENVIRONMENT
 *
 * The analyzer configures the runtime through environment variables. So does the user of a bare
 * run (LD_PRELOAD=libsched.so ./test). An empty value means the default, in parentheses.
 *
 *	LINCHPIN_DIR             run directory, made if absent (a new ./linchpin.N)
 *	LINCHPIN_SEARCH          a name of format/search.h (auto)
 *	LINCHPIN_SEED            of random searches (1)
 *	LINCHPIN_MAX_EXECUTIONS  0: no bound (0)
 *	LINCHPIN_MAX_TIME        seconds, may have a fraction; 0: no bound (60)
 *	LINCHPIN_STOP_AT         so many classes that ended with an error; 0: no bound (0)
 *	LINCHPIN_KEEP            all | findings | N: record the first N classes, and of others one of each
 *	                         kind; findings: 0 (all)
 *	LINCHPIN_MAX_STEPS       steps that each thread may take in an execution, 10 to 10000000
 *	                         (20000)
 *	LINCHPIN_CHECK           lin | outcome | none (lin)
 *	LINCHPIN_PROGRESS        none | obstruction-free | lock-free | wait-free: also find operations
 *	                         that stalled threads keep from completing (none)
 *	LINCHPIN_EQUIVALENCE     mazurkiewicz | observers | symmetry | observers+symmetry | auto: which
 *	                         executions count as one; auto: observers, until an execution fails early
 *	                         (mazurkiewicz)
 *	LINCHPIN_ISOLATE         rollback | fork (rollback)
 *	LINCHPIN_AUDIT           1: stateful searches check that states are what they were (0)
 *	LINCHPIN_MALLOC          reuse | thread | quarantine (reuse)
 *	LINCHPIN_REUSED          lp_status.reused of an earlier run whose schedules are replayed (0)
 *	LINCHPIN_BLOCKS          a file like RUNDIR/blocks: blocks that are in force (no file)
 *	LINCHPIN_ENFORCE         atomic | lock: what that means, see blocks.h (atomic)
 *	LINCHPIN_INSTRUMENT      globs, separated by commas, of functions or modules whose accesses
 *	                         are seen; `none` (all of the program and its own libraries)
 *	LINCHPIN_SKIP            globs of functions whose accesses are not seen (none)
 *	LINCHPIN_TLS             auto | fsgsbase | prctl | shared: how thread-local storage is
 *	                         switched; threads: each fiber is on a thread of its own (auto)
 *	LINCHPIN_OPS             a file like RUNDIR/ops: which functions are operations (no file)
 *	LINCHPIN_LEAKS           1: look for leaks at the end of every class, and in replays (0)
 *	LINCHPIN_COVERAGE        1: note which instructions run, see coverage.h (0)
 *	LINCHPIN_REPLAY          a file of schedules; exactly these are run, no search (no file)
 *	LINCHPIN_STEERING        with LINCHPIN_REPLAY or LINCHPIN_PART: RUNDIR/steering of the search that
 *	                         recorded the schedules, or of all parts (no file)
 *	LINCHPIN_PART            a file that says which part of the search is explored (all)
 *	LINCHPIN_REPORT          1: at the end become `linchpin report`; 0: exit (1)
 *	LINCHPIN_QUIET           1: print nothing but errors (0)
 *	LINCHPIN_PROVE           read by `linchpin`, also for a bare run: how many repairs are explored
 *	                         again with their blocks in force (3)
 *	LINCHPIN_SPEC            read by `linchpin`, also for a bare run: a specification file, or
 *	                         the name of a specification (PROGRAM.lin if there is one)
 *
 * The runtime sets LINCHPIN_FOLLOW, to its name, in what a program starts that only starts others
 * (format/starters.h). There the system's own programs are not explored.
 *
 * The runtime sets LINCHPIN_HOOKS in the program, for linchpin.h: "PID:ADDRESS" of its hooks.
 *
 * EXIT STATUS of a run with LINCHPIN_REPORT=0: 0 the search ended (see lp_status.end); 2 misuse, an
 * error in the set-up, or a signal two seconds after the first one. Messages go to standard error.
 *
 * SCHEDULES
 *
 * A schedule is a line of thread names with repeat counts, for the steps in order:
 *
 *	0x3 0.1 0.2x7 0.1x2
 *
 * The main thread is 0, its first child 0.1, the second child of that 0.1.2. After the end of the
 * schedule, the lowest thread that can run runs on; but if it ends with `!WHY:THREAD`, the execution
 * ends there with LP_OUT_NO_PROGRESS if it is true that this thread makes no progress (enum lp_stall),
 * all others being stalled. In a file for LINCHPIN_REPLAY, lines that begin
 * with # are skipped, and a schedule behind ? is tried: where it asks for a thread that cannot run,
 * it is over.
 *
 * STATES
 *
 * RUNDIR/steering has what the search learned and was steered by from then on, a line each:
 *
 *	stack THREAD LOW HIGH        this part of the thread's stack is touched by others; offsets in
 *	                             its mapping, hexadecimal; threads are numbered by creation
 *	tls THREAD LOW HIGH          the same of its thread-local storage; addresses
 *	sends WHAT                   what is sent to threads, summed up: 1 cancellations, 2 signals, 4 to a thread
 *	                             that is alone and computes, 8 signals that have a handler
 *	ends WHETHER                 1: that a thread ends is a step, for others look at it
 *	channels WHETHER             1: some steps look at several pipes or events at once
 *	loop MODULE OFFSET KINDS     an event at this code (hexadecimal) is in a loop: 1 that goes
 *	                             round for ever in vain, 2 with a state that cannot be seen
 *
 * RUNDIR/states has a line for each sequential execution: the choices between its operations. Those that are
 * classes of the trace are in the same order; `~` at the beginning of the next line says that one is none. Its states are numbered from 1, by what all memory and threads
 * are like; two executions that come to the same state go on alike.
 *
 *	KEPT STATE/COULD/DID STATE/COULD/DID+ STATE/COULD/DID- ... =STATE
 *
 *	KEPT      so many choices of the line before come first
 *	COULD     threads among which to choose, a bit for each number, in hex
 *	DID       the number of the one that was chosen
 *	+         it began an operation; - an operation is open
 *	=STATE    the execution ends here, because this state was met before
 *
 * PARTS
 *
 * LINCHPIN_PART has these lines:
 *
 *	part 1                       the version
 *	budget N                     at most so many executions
 *	shows                        the output of the first execution is shown
 *	draws N                      executions N + 1 and later of a random search
 *	livelock NAME recorded       a class of another part is this livelock (see `left`)
 *	livelock NAME SCHEDULE       only this: it is recorded
 *	unit KEPT STEP...
 *
 * A unit is the steps that lead to it; the first KEPT are those of the unit before. A step is the number of
 * a thread, in the order of creation, and those that come before it in that state: `2:0,1`.
 *
 * RUNDIR/left is there once a part is over. Units are numbered from 0, steps of their ways too:
 *
 *	done UNIT                    nothing is left of it
 *	split UNIT                   the lines `state` say what is; of a unit without either, all is
 *	state BRANCH...              from the state behind the unit, then from the one behind the branch
 *	                             that goes on (o): dTHREAD is done, lTHREAD is left
 *	above UNIT STEP THREAD       it is to be explored from the state before that step as well
 *	livelock NAME recorded       a class is this livelock
 *	livelock NAME THREAD.THREAD...   only a redundant execution was, and so went its steps
 *	restart                      all parts have to begin again, and know what this one has learned
 *	                             (RUNDIR/steering, lp_status.reused)
 *	end
 *
 * OPERATIONS
 *
 * RUNDIR/ops has these lines, in this order, words separated by one blank:
 *
 *	ops 1                                         the version
 *	object N SPECIFICATION                        N from 0; as for linchpin_object(), to the end
 *	                                              of the line; behind `guess` if nobody said it
 *	module N PATH                                 0 is the program, others are its libraries; to
 *	                                              the end of the line
 *	op MODULE ADDRESS OBJECT NAME THIS NARGS SOURCE... RESULT # FUNCTION
 *	limit TEXT                                    for the report: what is not seen
 *
 *	ADDRESS   entry of the function, as linked, in hex
 *	OBJECT    number of an object line
 *	THIS      the SOURCE of the object's address; - if there is one object, whose address then
 *	          is its number
 *	NARGS     0 to 4; as many SOURCEs follow
 *	RESULT    a SOURCE, or `empty` (there was nothing), or `void` (no result), or
 *	          `if SOURCE COMPARE HEX A B`: A if the comparison with the signed 64-bit number HEX
 *	          holds, else B, each a SOURCE, `empty` or `void`. COMPARE is == != < <= > or >=
 *
 *	SOURCE    where a value is found, and how it is read:
 *	  0s4     argument register 0 to 5 (rdi rsi rdx rcx r8 r9) at the entry
 *	  *0s4    what that register points to: of an argument read at the entry, of a result at the
 *	          return; 0 if it is NULL
 *	  rs4     what the function returns (rax)
 *	  c1f     a number, in hex
 *	  a11c0   an address in this module as linked, in hex
 *	          s, u or b: signed, unsigned, or boolean (0 or 1); then the size: 1, 2, 4 or 8 bytes
 *
 * Example: bool list_add(struct list *, int key) as the operation `add` of a set:
 *
 *	ops 1
 *	object 0 set
 *	module 0 /home/me/list_test
 *	op 0 1189 0 add 0u8 1 1s4 if rb1 != 0 c1 c0
 *
 * The strings of the file stay in memory as long as the process. At most 64 objects, 64 modules and
 * 256 operations; what is damaged or too large ends the run with a message that names the line.
 */
#ifndef LP_RUN_DIR_H
#define LP_RUN_DIR_H

#include <stdint.h>

#define LP_RUN_VERSION  1
#define LP_STATUS_MAGIC 0x315441545350434cULL
#define LP_MAX_THREADS  64

/* Bytes of the trace that a random search with LINCHPIN_KEEP may take (runtime/kept.c). */
#define LP_RANDOM_ROOM (64UL << 20)

/* How the search ended: lp_status.end. Only LP_END_COMPLETE means that the trace has all classes,
 * and then only if no bit of lp_status.limits says otherwise. */
enum lp_end {
	LP_END_RUNNING = 0, /* or killed */
	LP_END_COMPLETE,    /* the search space is exhausted */
	LP_END_EXECUTIONS,  /* LINCHPIN_MAX_EXECUTIONS reached */
	LP_END_TIME,        /* LINCHPIN_MAX_TIME reached */
	LP_END_INTERRUPTED, /* by a signal */
	LP_END_ERROR,       /* the runtime gave up; it has said why */
	LP_END_REPLAYED,    /* LINCHPIN_REPLAY: all schedules ran */
	LP_END_FOUND,       /* LINCHPIN_STOP_AT classes ended with an error, or LP_STOP_FOUND */
	LP_END_FULL,        /* there was no room for the trace to grow */
	LP_END_SHARD,       /* one shard's part is exhausted (linchpin merge) */
	LP_END_JOINED,      /* what joined shards have left was not explored */
	LP_END_CUT          /* never in the file: the trace is shorter than the search has left it */
};

/* In a run directory that is explored in parts, those of the parts. */
#define LP_PARTS "parts"

/* The value of a queued SIGTERM that ends the search with LP_END_FOUND. */
#define LP_STOP_FOUND 0x666f756e

/* What was cut, whatever the end; ORed into lp_status.limits. */
#define LP_LIMIT_STEPS    0x1 /* a thread has taken all the steps that it may take */
#define LP_LIMIT_VAIN     0x2 /* a loop that counts was left after some rounds, see waiting/vain.c */
#define LP_LIMIT_ROUNDS   0x8  /* a loop that writes was left after some rounds, see rounds.c */
#define LP_LIMIT_LOOK     0x10 /* all wait in loops, and whether they can leave was not found out */
#define LP_LIMIT_COMPUTES 0x40 /* a thread computed for seconds, while others could have run */
#define LP_LIMIT_KERNEL   0x80 /* a thread was blocked in a system call */
#define LP_LIMIT_PROGRESS 0x100 /* whether an operation can complete was not found out everywhere */
#define LP_LIMIT_EXIT     0x20  /* a thread would have gone on for long while the process ends */
#define LP_LIMIT_REFUSED  0x1000 /* a call that cannot be explored; it has ended the run */
#define LP_LIMIT_CALL     0x2000 /* a system call that is neither a step nor taken back; the record names it */
#define LP_LIMIT_UNSEEN   0x800 /* accesses that a race needs were not seen; notes name them */
/* A function, which the record names, works unseen on memory that another thread uses at the same time; on what libc
 * keeps for all threads. */
#define LP_LIMIT_UNSEEN_MEMORY 0x4000
#define LP_LIMIT_UNSEEN_STATE  0x8000
#define LP_LIMITS_WITH_NAMES   (LP_LIMIT_CALL | LP_LIMIT_UNSEEN_MEMORY | LP_LIMIT_UNSEEN_STATE)

/* What LINCHPIN_MAX_STEPS may be. */
#define LP_STEPS_LEAST 10
#define LP_STEPS_MOST  10000000

/* The bounds that go with these. */
#define LP_VAIN_ROUNDS 4    /* rounds in a row without news */
#define LP_SEEN_ROUNDS 2    /* restoring rounds that others saw */
#define LP_AFTER_EXIT  1000 /* steps that a thread may still take while the process ends */

/* RUNDIR/status, in the byte order and layout of x86-64; the file may be longer. All counts are of
 * the search since its last restart. */
enum { LP_EVERY_WRITE = 1, LP_EVERY_TWIN = 2 }; /* observers; symmetry */

struct lp_status {
	uint64_t magic;        /* LP_STATUS_MAGIC */
	uint32_t version;      /* LP_RUN_VERSION */
	uint32_t end;          /* enum lp_end */
	uint64_t executions;   /* started and ended, sleep-set blocked ones included */
	uint64_t blocked;      /* cut short because every runnable thread was asleep */
	uint64_t redundant;    /* of which another class has vain rounds left out, see rounds.c */
	uint64_t cut;          /* without an end, because of a bound */
	uint64_t classes;      /* class records written */
	uint64_t events;       /* events of all executions */
	uint64_t steps;        /* scheduling decisions of all executions */
	uint64_t outcomes[16]; /* by enum lp_outcome, of classes */
	uint64_t trace_bytes;  /* valid bytes of RUNDIR/trace */
	uint64_t max_events;   /* of one execution */
	uint64_t calls;        /* operations begun, over all classes */
	uint64_t shared;   /* locations that two threads were seen to touch, one of them writing */
	double estimate;   /* of the part of the search that is done, 0 to 1; negative: unknown */
	double seconds;    /* wall clock, so far */
	uint32_t threads;  /* most threads of one execution */
	uint32_t limits;   /* LP_LIMIT_* */
	uint32_t restarts; /* explorations begun again because a stack location became shared, or
			    * freed blocks are given to any thread */
	uint32_t hooks;    /* 1 if any compiler hook was called */
	uint32_t pid;
	uint32_t again;  /* executions that were abandoned and run once more from their beginning */
	uint64_t reused; /* classes of sizes whose freed blocks were given to any thread, by bits */
	double cpu_seconds; /* of the process and its children, once it has ended */
	uint64_t attempts;  /* steps that had to wait inside a block in force; no executions */
	uint64_t
		first_failure; /* the execution, from 1, that was the first to end with an error; 0 */
	uint64_t counted_steps; /* of --search=pct: the most steps on shared memory, and ... */
	uint32_t change_points; /* ... before how many of them priorities change */
	uint32_t bounds; /* of --search=bounded, delayed: these, 0 to bounds - 1, are finished */
	uint64_t drawn;  /* of --search=auto: executions of the random search */
	uint64_t woken;  /* executions in which threads went on after vain rounds */
	uint64_t files;  /* 1 if executions change files: two processes would disturb each other */
	uint64_t unkept; /* classes that are like recorded ones, see LINCHPIN_KEEP; `outcomes` has them */
	/* Of stateful searches: */
	uint64_t states, transitions;
	uint64_t merged;  /* executions that ended in a state that was met before */
	uint64_t untold;  /* states of which a part cannot be told: they are like no other */
	uint64_t audited; /* steps that were made again to compare, see LINCHPIN_AUDIT */
	uint64_t every_order; /* LP_EVERY_*: what LINCHPIN_EQUIVALENCE says does not hold after all */
	/* Of a random search with LINCHPIN_KEEP: executions whose classes are unlike recorded ones, but there was no
	 * room for them; executions of which it is not known whether their classes were counted. */
	uint64_t unjudged, uncounted;
	uint64_t process; /* of the latest execution: what it gets from getpid() */
};

#endif
