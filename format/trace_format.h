/* SPDX-License-Identifier: MIT
 *
 * The trace file, RUNDIR/trace: what the runtime writes and the analyzer reads. The two halves share
 * this header, run_dir.h and search.h, and nothing else. docs/trace-format.md says the same in
 * prose, with an example in bytes.
 *
 * FILE
 *
 *	file    := "LPTRACE\0"  version:u32 (little-endian, 1)  record...
 *	record  := type:u8  length:varint  body[length]
 *
 * The runtime writes the body and its length first and the type byte last. So type 0 (LP_REC_END)
 * or the end of the file is the end of what was complete when the writer was killed. After it the
 * file may be filled with zeros. The runtime never changes a complete record, with one exception:
 * when a stack location is found to be shared, it sets the file back to the header and starts the
 * search again (lp_status.restarts counts this).
 *
 * NUMBERS
 *
 *	u8        one byte
 *	varint    LEB128: 7 bits a byte, lowest first, top bit set in all bytes but the last.
 *	          64 bits, so at most 10 bytes. It may be padded (the runtime pads record lengths to
 *	          4 bytes).
 *	svarint   a signed number as a varint: 2n for n >= 0, -2n-1 for n < 0 (zigzag)
 *	id        a varint: the n-th record of its kind has id n, counted from 0
 *	x+1       a varint: 0 for none, otherwise the id plus one
 *	pc        a varint: an offset from the load address of the module (dlpi_addr); absolute
 *	          where module+1 is 0
 *
 * Fields are varints if no type is given. A record may use only ids that records before it
 * define. Ids are handed out at first use, so they are the same in every run.
 *
 * RECORDS
 *
 *	record           body                                    meaning
 *	LP_REC_STRING    bytes, no zero at the end               a name or a message
 *	LP_REC_MODULE    string                                  the path; the n-th is line n of
 *	                                                         RUNDIR/modules
 *	LP_REC_CONTEXT   parent+1 module+1 pc                    a call on the stack: a node of the
 *	                                                         tree of call stacks. parent is a
 *	                                                         context, pc the return address
 *	LP_REC_SITE      kind:u8 flags:u8 size module+1 pc       what events of one instruction have
 *	                 context+1                               in common: enum lp_kind, LP_SITE_*,
 *	                                                         bytes accessed, place, call stack
 *	LP_REC_LOCATION  type:u8 a b offset                      the name of an address: see
 *	                                                         enum lp_loc_type
 *	LP_REC_THREAD    parent+1 number module+1 pc             the number-th child (from 1) of
 *	                                                         parent; pc of its start routine
 *	LP_REC_OBJECT    location string                         linchpin_object(): the
 *	                                                         specification of the object there
 *	LP_REC_NOTE      string                                  a limit of this run that the user
 *	                                                         should know
 *	LP_REC_LIMIT     limit site location stack+1 (string)    where a bound of the search was
 *	                                                         reached: LP_LIMIT_* of run_dir.h;
 *	                                                         the access of a loop that was made
 *	                                                         in vain, the last event of a thread
 *	                                                         that was stopped, or where it was
 *	                                                         between two events (LP_EV_NONE),
 *	                                                         then with its stack; of
 *	                                                         LP_LIMITS_WITH_NAMES the name of
 *	                                                         the function or system call
 *	LP_REC_LEAKS     class n (site location blocks bytes)    the end of this class was looked at:
 *	                 [n]                                     blocks that nothing points to, by
 *	                                                         where they were allocated, and the
 *	                                                         first of them
 *	LP_REC_CLASS     number keep count event[count] outcome  one class of executions, see below
 *	LP_REC_STACK     thread value[17] (skipped value)...     the stack of a thread, see below
 *
 * The pc of a site is the return address of the call or hook: look up the byte before it. Only
 * sites of kind LP_EV_NONE, which outcomes refer to, have a pc inside the instruction itself.
 *
 * CLASSES
 *
 * A class is a set of executions that differ only in the order of independent steps. It is written
 * as one of them. `number` counts from 1. The first `keep` events are those of the class record
 * before; `count` more follow:
 *
 *	event := site<<1 | switched   [thread, if switched]   fields
 *
 * `switched` is 1 if the thread is not that of the event before. Before the first event of a class
 * with keep 0 the thread is 0. The fields depend on the kind of the site:
 *
 *	kind                                fields
 *	READ, WRITE, CAS_FAIL               location value
 *	RMW                                 location old new
 *	  the same with LP_SITE_NOVALUE     location
 *	LOCK .. RDUNLOCK, WAKE .. SIGNAL,   location
 *	SEM_WAIT .. TAKE, WOKEN        
 *	BROADCAST                           location; of a futex also the location of the other word
 *	WAIT                                location of the condition, location of the mutex;
 *	                                    of a futex, twice the location of the word
 *	FREE, ALLOC                         location size (bytes)
 *	CREATE, JOIN                        id of the other thread
 *	CALL                                location of the object, string (its name), nargs (0 to 4),
 *	                                    svarint args[nargs]
 *	RETURN                              kind:u8 (0 no result, 1 value, 2 "there was nothing"),
 *	                                    svarint value
 *	START, EXIT, EXIT_ALL, FENCE, YIELD none
 *
 * Values are the bytes accessed, as an unsigned little-endian number. A RETURN belongs to the
 * innermost CALL of its thread that has not returned.
 *
 *	outcome := kind:u8 thread site+1 code:svarint string+1 stack+1 nwait wait[nwait]
 *	wait    := thread site+1 location+1 holder+1 why:u8
 *
 * The outcome says how the execution ended (enum lp_outcome), in which thread, at which site, and
 * gives a code, a message, and a stack to unwind. What `wait` lists depends on the kind:
 *
 *	DEADLOCK, LIVELOCK                  each thread that is left: where and for what it waits,
 *	                                    who holds that, and why (enum lp_wait). A spinning thread
 *	                                    has an entry for each access of its loop (at most 16)
 *	USE_AFTER_FREE, BAD_FREE,           the memory: an entry with LP_WAIT_NOTHING and its
 *	OUT_OF_BOUNDS                       location; if it is in or behind a block, who has
 *	                                    allocated that and where (LP_WAIT_ALLOCATED), and the
 *	                                    same for its free, if it is free (LP_WAIT_FREED)
 *	MISUSE                              the object (LP_WAIT_NOTHING and its location), and what the
 *	                                    use is in conflict with: who holds, has destroyed, waits
 *	                                    for the object, or has joined the thread, and where
 *	NO_PROGRESS                         each thread that cannot complete its operation, like those
 *	                                    of a livelock; the first is the victim (enum lp_stall)
 *	all others                          nothing
 *
 * STACKS
 *
 * The stack of the thread at fault, where it was in a library or called one: what is needed to find
 * the calls on it by the unwind tables of the modules. First the registers, numbered as in DWARF
 * (rax rdx rcx rbx rsi rdi rbp rsp r8 .. r15, pc); then words of the stack, from rsp upwards to the
 * end of the record. Before each word is said how many words below it were left out: those that
 * are neither addresses of code nor of the stack. At most 64 KiB of the stack are looked at.
 *
 *	value := LP_STACK_OTHER
 *	value := LP_STACK_ADDRESS offset       from the top of the thread's stack down, in bytes
 *	value := LP_STACK_CODE module pc
 *
 * READERS believe nothing: an unknown type, an id that is not defined yet, or a body with bytes
 * missing or left over is an error, reported with the byte offset.
 */
#ifndef LP_TRACE_FORMAT_H
#define LP_TRACE_FORMAT_H

#include <stdint.h>

#define LP_TRACE_MAGIC   "LPTRACE" /* 8 bytes with the terminating zero */
#define LP_TRACE_VERSION 1         /* u32 little-endian after the magic */
#define LP_TRACE_HEADER  12        /* bytes before the first record */

enum lp_record {
	LP_REC_END = 0,
	LP_REC_STRING,
	LP_REC_MODULE,
	LP_REC_CONTEXT,
	LP_REC_SITE,
	LP_REC_LOCATION,
	LP_REC_THREAD,
	LP_REC_OBJECT,
	LP_REC_NOTE,
	LP_REC_CLASS,
	LP_REC_STACK,
	LP_REC_LIMIT,
	LP_REC_LEAKS,
	LP_REC_COUNT
};

/* What a value of a recorded stack is. */
enum lp_stack_value {
	LP_STACK_OTHER = 0,
	LP_STACK_ADDRESS,
	LP_STACK_CODE,
	LP_STACK_COUNT
};
#define LP_STACK_REGISTERS 17

/*
 * Location types. The name of an address is the same in every execution:
 *
 *	type     a                     b                           offset, in bytes
 *	GLOBAL   module                0                           from the module's load address
 *	HEAP     allocating thread     its n-th allocation (from 1)  from the start of the block
 *	STACK    thread                0                           from the top of its stack down
 *	OTHER    0                     0                           the address itself
 *	TLS      thread                0                           in its thread-local storage
 *	FREED    0                     0                           the list of freed blocks of at most
 *	                                                           so many bytes; 0 of large ones
 *	BLOCKS   0                     0                           the lock around blocks in force
 *	CHANNEL  0                     0                           0: the table of descriptors; else 1 +
 *	                                                           thread * LP_CHANNELS_EACH + the
 *	                                                           number of its pipe, event, ..., from 0;
 *	                                                           LP_CHANNEL_LOCKS: the locks of files;
 *	                                                           else more than any thread: all of them
 *
 * Locations with equal type, a and b are parts of one object, a *region*. Two events conflict if
 * they are of different threads, one of them writes, and their bytes in one region overlap.
 */
enum lp_loc_type {
	LP_LOC_GLOBAL = 0,
	LP_LOC_HEAP,
	LP_LOC_STACK,
	LP_LOC_OTHER,
	LP_LOC_TLS,
	LP_LOC_FREED,
	LP_LOC_BLOCKS,
	LP_LOC_CHANNEL,
	LP_LOC_COUNT
};

#define LP_CHANNELS_EACH 1024
#define LP_CHANNEL_LOCKS (LP_CHANNELS_EACH * (LP_MAX_THREADS + 1UL) + 1)

/*
 * Event kinds. Those up to LP_EV_LAST_STEP are *steps*: the scheduler chose the thread before each
 * of them. So the threads of a class's steps, in order, are its schedule. The others only tell what
 * happened. lp_kind_access() says which kinds read or write their location.
 */
enum lp_kind {
	LP_EV_NONE = 0,
	LP_EV_READ,
	LP_EV_WRITE,
	LP_EV_RMW,      /* read-modify-write, exchange, successful compare-exchange */
	LP_EV_CAS_FAIL, /* a failed compare-exchange: a read */
	LP_EV_LOCK,
	LP_EV_UNLOCK,
	LP_EV_TRYLOCK_FAIL, /* also a timed lock that timed out: reads the lock */
	LP_EV_RDLOCK,
	LP_EV_RDUNLOCK,
	LP_EV_WAIT,    /* condition wait: releases the mutex and queues */
	LP_EV_WAKE,    /* leaves the condition's queue because of a signal */
	LP_EV_TIMEOUT, /* leaves it because time is up */
	LP_EV_SIGNAL,
	LP_EV_BROADCAST,
	LP_EV_SEM_WAIT,
	LP_EV_SEM_FAIL, /* trywait on zero, or timed out: a read */
	LP_EV_SEM_POST,
	LP_EV_BARRIER, /* arrives */
	LP_EV_BARRIER_LEAVE,
	LP_EV_ONCE,        /* claims or finds done a pthread_once */
	LP_EV_OBJECT_INIT, /* init or destroy of a lock, condition, ... */
	LP_EV_ARRIVE, /* a writer comes to a lock that prefers writers, or leaves it without having it */
	LP_EV_SEND,   /* a signal, or a cancellation, is sent to the thread whose handle is there */
	LP_EV_TAKE,   /* it is taken */
	LP_EV_FREE,        /* gives a heap block back: writes all of it */
	LP_EV_FENCE,
	LP_EV_YIELD,
	LP_EV_CALL,     /* an operation starts */
	LP_EV_RETURN,   /* and ends */
	LP_EV_EXIT_ALL, /* the process ends (main returns, exit) and some thread was not joined */
	LP_EV_LAST_STEP = LP_EV_EXIT_ALL,
	LP_EV_START,
	LP_EV_EXIT,
	LP_EV_CREATE,
	LP_EV_JOIN,
	LP_EV_ALLOC, /* if the block had been freed, a WRITE of all of it comes before */
	LP_EV_WOKEN, /* a futex wait goes on: it was woken */
	LP_EV_COUNT
};

/* The text of an LP_REC_NOTE: names of threads are not the same in all executions. */
#define LP_NOTE_THREAD_ORDER                                                                       \
	"threads are created in an order that depends on the schedule; names of threads may be "   \
	"those of another execution"

/* Site flags. */
#define LP_SITE_ATOMIC   0x01
#define LP_SITE_VOLATILE 0x02
#define LP_SITE_NOVALUE  0x04           /* no value is recorded (ranges, more than 8 bytes) */
#define LP_SITE_FUTEX    0x08           /* the event is about a futex, see lp_futex_kind() */
#define LP_SITE_SILENT   0x80           /* a write that left the value as it was: a read to others */
#define LP_SITE_ORDER(f) ((f) >> 4 & 7) /* memory order: __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST */

enum lp_outcome {
	LP_OUT_OK = 0, /* main returned or exit() was called with 0 (code) and all is well */
	LP_OUT_EXIT,   /* exit status code, not 0; or exit from a thread other than main */
	LP_OUT_CRASH,  /* code = signal; site = the faulting instruction; message = the address */
	LP_OUT_ABORT,
	LP_OUT_ASSERT, /* message = the failed assertion */
	LP_OUT_STACK_OVERFLOW,
	LP_OUT_DEADLOCK,
	LP_OUT_LIVELOCK, /* the threads that are left are in loops for ever; wait = the loops */
	LP_OUT_ENDLESS,  /* the last thread that could run computed for seconds without an event */
	LP_OUT_USE_AFTER_FREE,
	LP_OUT_BAD_FREE, /* double or invalid free; message says which */
	LP_OUT_MISUSE,   /* of the thread library: message says how; wait = in conflict with what */
	LP_OUT_OUT_OF_BOUNDS, /* an access behind a heap block */
	LP_OUT_NO_PROGRESS,   /* code = enum lp_stall; thread, site = who is stalled there; message =
			       * the progress condition; wait = who cannot complete its operation */
	LP_OUT_DATA_RACE, /* never recorded: seen in a trace by who reads it; wait = the two accesses, the
			   * second first, and the locks held there (LP_WAIT_HELD) */
	LP_OUT_LEAK,      /* never recorded: seen in LP_REC_LEAKS; site = of the allocation, code = how many blocks;
			   * wait = the first block (LP_WAIT_NOTHING) */
	LP_OUT_COUNT
};

/* Why a thread makes no progress: the code of LP_OUT_NO_PROGRESS. */
enum lp_stall {
	LP_STALL_BLOCKED = 1, /* it waits for a lock or the like */
	LP_STALL_ROUND,       /* alone it goes round for ever */
	LP_STALL_CIRCLE,      /* several go round together for ever */
	LP_STALL_RESTARTS,    /* it began anew with each operation of another thread */
	LP_STALL_LAST = LP_STALL_RESTARTS
};

/* Why a thread waits (in an outcome). */
enum lp_wait {
	LP_WAIT_NOTHING = 0, /* it does not wait; the entry only names a location */
	LP_WAIT_LOCK,
	LP_WAIT_CONDITION,
	LP_WAIT_JOIN, /* holder = the thread it waits for */
	LP_WAIT_SEMAPHORE,
	LP_WAIT_BARRIER,
	LP_WAIT_ONCE,
	LP_WAIT_SPIN, /* in a loop, for a write by another thread; an entry for each site */
	LP_WAIT_ALLOCATED, /* it does not wait: the thread has allocated the location there */
	LP_WAIT_FREED,     /* and freed it */
	LP_WAIT_HELD,      /* of a misuse: the thread has taken the object there, and still holds it */
	LP_WAIT_DESTROYED, /* it has destroyed the object there */
	LP_WAIT_WAITS,     /* it waits for the object there */
	LP_WAIT_JOINED,    /* it has joined the thread there */
	LP_WAIT_SIGNAL,    /* it waits for a signal of the kernel's kind */
	LP_WAIT_CHANNEL,   /* it waits until something can be read from a descriptor, or written to it */
	LP_WAIT_COUNT
};

/*
 * How an event touches its location. Two events on one location conflict, so that their order
 * matters, unless both only read, or both only share: readers of a read-write lock come and go
 * without seeing each other, but whoever tries to write sees them.
 */
enum lp_access {
	LP_TOUCHES_NOT = 0,
	LP_READS,
	LP_WRITES,
	LP_SHARES,
};

static inline int lp_access_conflict(int a, int b)
{
	return a && b && (a != b || a == LP_WRITES);
}

/* How events of this kind touch their location. */
static inline int lp_kind_access(unsigned kind)
{
	switch (kind) {
	case LP_EV_READ:
	case LP_EV_CAS_FAIL:
	case LP_EV_TRYLOCK_FAIL:
	case LP_EV_SEM_FAIL:
	case LP_EV_WOKEN:
		return LP_READS;
	case LP_EV_RDLOCK:
	case LP_EV_RDUNLOCK:
		return LP_SHARES;
	case LP_EV_WRITE:
	case LP_EV_RMW:
	case LP_EV_LOCK:
	case LP_EV_UNLOCK:
	case LP_EV_WAIT:
	case LP_EV_WAKE:
	case LP_EV_TIMEOUT:
	case LP_EV_SIGNAL:
	case LP_EV_BROADCAST:
	case LP_EV_SEM_WAIT:
	case LP_EV_SEM_POST:
	case LP_EV_BARRIER:
	case LP_EV_BARRIER_LEAVE:
	case LP_EV_ONCE:
	case LP_EV_OBJECT_INIT:
	case LP_EV_ARRIVE:
	case LP_EV_SEND:
	case LP_EV_TAKE:
	case LP_EV_FREE:
		return LP_WRITES;
	default:
		return LP_TOUCHES_NOT;
	}
}

/* How an event of a kind, at a site with these flags, touches its location. */
static inline int lp_access(unsigned kind, unsigned flags)
{
	return flags & LP_SITE_SILENT ? LP_READS : lp_kind_access(kind);
}

/*
 * A futex is a word of memory and the queue of the threads that wait on it. An event of these kinds
 * at a site with LP_SITE_FUTEX names the word:
 *
 *	kind                       the word   its queue   the queue of the second location
 *	WAIT                       reads      writes      -
 *	WAKE, TIMEOUT, SIGNAL      -          writes      -
 *	WOKEN                      -          reads       -
 *	BROADCAST (moves waiters)  reads      writes      writes
 *
 * The queue counts as one byte that overlaps no memory: lp_futex_queue() of the word's address or
 * offset. WOKEN is not a step: an untimed wait goes on there.
 */
static inline int lp_futex_kind(unsigned kind)
{
	return (kind >= LP_EV_WAIT && kind <= LP_EV_BROADCAST) || kind == LP_EV_WOKEN;
}

static inline uint64_t lp_futex_queue(uint64_t word)
{
	return word ^ 1ULL << 63;
}

/* Does an event of this kind, at a site with these flags, have a second location? */
static inline int lp_kind_second(unsigned kind, unsigned flags)
{
	return kind == LP_EV_WAIT || (kind == LP_EV_BROADCAST && (flags & LP_SITE_FUTEX));
}

#endif
