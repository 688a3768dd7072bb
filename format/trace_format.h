/* SPDX-License-Identifier: MIT
 *
 * The trace file: what the runtime writes into RUNDIR/trace and the analyzer reads. This header and
 * run_dir.h are all that the two halves share. docs/trace-format.md describes the bytes in prose.
 *
 * The file is a header followed by records. The runtime appends a record by writing its body first
 * and its type byte last, so a reader that meets type 0 (or the end) has seen everything that was
 * complete when the writer was killed.
 *
 *	record  := type:u8  length:varint  body[length]
 *
 * A varint is LEB128, at most 10 bytes; svarint is zigzag LEB128. Ids are implicit: the n-th record
 * of a kind has id n, from 0. They are handed out at first use, so they are the same from run to
 *run.
 *
 *	LP_REC_STRING   bytes                                   operation names, messages
 *	LP_REC_MODULE   string(path)                            id matches the line in
 *RUNDIR/modules LP_REC_CONTEXT  parent+1  module+1  pc                  a node of the calling
 *context tree LP_REC_SITE     kind:u8 flags:u8 size module+1 pc context+1 LP_REC_LOCATION type:u8 a
 *b offset                      see enum lp_loc_type LP_REC_THREAD   parent+1 number module+1 pc the
 *number-th child (from 1); start routine LP_REC_OBJECT   location string linchpin_object():
 *location has that spec LP_REC_NOTE     string                                  a limit the user
 *should know about LP_REC_CLASS    number keep count events[count] outcome
 *
 * All numbers in bodies are varints unless typed. A pc is an offset from the module's load address;
 * with module+1 == 0 it is absolute. For a call site it is the return address (the call is before
 *it).
 *
 * LP_REC_CLASS: one class of equivalent executions, as one member of it. `keep` is the number of
 * leading events taken over from the previous class record. Each event:
 *
 *	site<<1 | switched   [thread if switched]   fields by kind
 *
 * `switched` is set when the thread differs from the event before it (for the first event of the
 *record after `keep` events: from the last kept one; with keep 0 the thread before is 0). Fields by
 *kind:
 *
 *	READ ATOMIC READ, CAS_FAIL          location value
 *	WRITE                               location value
 *	RMW                                 location old new
 *	(an access with LP_SITE_NOVALUE in its flags has no values; a range access has size at the
 *site) LOCK..BARRIER, ONCE, OBJECT_*       location WAIT                                location
 *(condition)  location (mutex) FREE, ALLOC                         location size CREATE, JOIN
 *thread id of the other CALL                                location (object)  string (name)  nargs
 *svarint args[nargs] RETURN                              kind:u8 (0 void, 1 value, 2 empty) svarint
 *value START, EXIT, EXIT_ALL, FENCE, YIELD nothing
 *
 * Outcome: kind:u8  thread  site+1  code:svarint  string+1 (message)  nwait  wait[nwait], with
 * wait := thread site+1 location+1 holder+1 why:u8 -- who waits, where, for what, held by whom.
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
	LP_REC_COUNT
};

/* Location types and their fields a, b. */
enum lp_loc_type {
	LP_LOC_GLOBAL = 0, /* a = module, b = 0, offset in the module */
	LP_LOC_HEAP, /* a = allocating thread, b = its n-th allocation (from 1), offset in the block
		      */
	LP_LOC_STACK, /* a = thread, b = 0, offset down from the top of its stack */
	LP_LOC_OTHER, /* a = b = 0, offset = the address */
	LP_LOC_TLS,   /* a = thread, b = 0, offset in its thread-local storage */
	LP_LOC_COUNT
};

/*
 * Event kinds. Those up to LP_EV_LAST_STEP are *steps*: the scheduler chose the thread before each
 * of them, so the threads of a class's steps, in order, are its schedule. The others are notes in
 * the log.
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
	LP_EV_FREE,        /* gives a heap block back: writes all of it */
	LP_EV_FENCE,
	LP_EV_YIELD,
	LP_EV_CALL,     /* an operation starts */
	LP_EV_RETURN,   /* and ends */
	LP_EV_EXIT_ALL, /* the process ends (main returns, exit) while other threads live: ends them
			 */
	LP_EV_LAST_STEP = LP_EV_EXIT_ALL,
	LP_EV_START,
	LP_EV_EXIT,
	LP_EV_CREATE,
	LP_EV_JOIN,
	LP_EV_ALLOC,
	LP_EV_WOKEN, /* a futex wait goes on: it was woken */
	LP_EV_COUNT
};

/* Site flags. */
#define LP_SITE_ATOMIC   0x01
#define LP_SITE_VOLATILE 0x02
#define LP_SITE_NOVALUE  0x04           /* no value is recorded (ranges, more than 8 bytes) */
#define LP_SITE_FUTEX    0x08           /* about those who wait on a word, see lp_futex_kind() */
#define LP_SITE_ORDER(f) ((f) >> 4 & 7) /* memory order: __ATOMIC_RELAXED .. __ATOMIC_SEQ_CST */

enum lp_outcome {
	LP_OUT_OK = 0, /* main returned or exit() was called with 0 (code) and all is well */
	LP_OUT_EXIT,   /* exit status code, not 0; or exit from a thread other than main */
	LP_OUT_CRASH,  /* code = signal; site = the faulting instruction; message = the address */
	LP_OUT_ABORT,
	LP_OUT_ASSERT, /* message = the failed assertion */
	LP_OUT_STACK_OVERFLOW,
	LP_OUT_DEADLOCK,
	LP_OUT_LIVELOCK, /* only spinning threads are left; wait = the loops */
	LP_OUT_ENDLESS,  /* the bound on steps or on time without a step was reached */
	LP_OUT_USE_AFTER_FREE,
	LP_OUT_BAD_FREE, /* double or invalid free; message says which */
	LP_OUT_MISUSE,   /* of the thread library: message says how */
	LP_OUT_COUNT
};

/* Why a thread waits (in an outcome). */
enum lp_wait {
	LP_WAIT_NOTHING = 0, /* it could run */
	LP_WAIT_LOCK,
	LP_WAIT_CONDITION,
	LP_WAIT_JOIN, /* holder = the thread it waits for */
	LP_WAIT_SEMAPHORE,
	LP_WAIT_BARRIER,
	LP_WAIT_ONCE,
	LP_WAIT_SPIN, /* a loop that waits for somebody's write; one wait entry a site of the loop
		       */
	LP_WAIT_COUNT
};

/* Does this kind of event read or write its location? 0 neither, 1 reads, 2 writes (conflicts with
 * both). */
static inline int lp_kind_access(unsigned kind)
{
	switch (kind) {
	case LP_EV_READ:
	case LP_EV_CAS_FAIL:
	case LP_EV_TRYLOCK_FAIL:
	case LP_EV_RDLOCK:
	case LP_EV_RDUNLOCK:
	case LP_EV_SEM_FAIL:
	case LP_EV_WOKEN:
		return 1;
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
	case LP_EV_FREE:
		return 2;
	default:
		return 0;
	}
}

/*
 * A futex is two things: a word of memory, and the queue of those who wait on it. An event of such
 * a kind, at a site with LP_SITE_FUTEX, names the word. It writes the queue (WAKE and WOKEN read
 * it). WAIT and BROADCAST also read the word; BROADCAST moves waiters to the queue of its second
 * location, and writes that as well. The queue is a byte, lp_futex_queue() of the word's address or
 * offset, that overlaps no memory.
 */
static inline int lp_futex_kind(unsigned kind)
{
	return (kind >= LP_EV_WAIT && kind <= LP_EV_BROADCAST) || kind == LP_EV_WOKEN;
}

static inline uint64_t lp_futex_queue(uint64_t word)
{
	return word ^ 1ULL << 63;
}

/* Has it a second location? */
static inline int lp_kind_second(unsigned kind, unsigned flags)
{
	return kind == LP_EV_WAIT || (kind == LP_EV_BROADCAST && (flags & LP_SITE_FUTEX));
}

#endif
