/* SPDX-License-Identifier: MIT
 *
 * A program as a list of operations for each thread, on a few objects of every kind there is. The
 * target (target.c) does them with the real functions; the model (model.c) says what can come of
 * them. A program is passed to the target as its bytes in hexadecimal.
 */
#ifndef TEST_SEARCH_OPS_H
#define TEST_SEARCH_OPS_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_THREADS 4 /* thread 0 is main */
#define MOST_OPS     8

/* `object` says which, where there are two; `value` is an argument. */
enum what {
	OP_END = 0,
	OP_CREATE, /* thread `object` */
	OP_JOIN,
	OP_JOIN_TRY, /* by who has created it */
	OP_JOIN_TIMED,
	OP_LOAD, /* atomic variables */
	OP_STORE,
	OP_FETCH_ADD,
	OP_EXCHANGE,
	OP_CAS, /* from value & 1 to value >> 1 */
	OP_READ, /* memory without atomics: see enum memory */
	OP_WRITE,
	OP_ADD,
	OP_MUTEX_LOCK,
	OP_MUTEX_TRY,
	OP_MUTEX_TIMED,
	OP_MUTEX_UNLOCK, /* only if held, but for error checking */
	OP_MUTEX_CONSISTENT, /* of a robust one */
	OP_MUTEX_INIT,
	OP_MUTEX_DESTROY,
	OP_RW_READ,
	OP_RW_TRY_READ,
	OP_RW_TIMED_READ,
	OP_RW_WRITE,
	OP_RW_TRY_WRITE,
	OP_RW_TIMED_WRITE,
	OP_RW_UNLOCK, /* only if held */
	OP_RW_INIT,
	OP_RW_DESTROY,
	OP_SPIN_LOCK,
	OP_SPIN_TRY,
	OP_SPIN_UNLOCK, /* only if held */
	OP_SPIN_INIT,
	OP_SPIN_DESTROY,
	OP_SEM_WAIT,
	OP_SEM_TRY,
	OP_SEM_TIMED,
	OP_SEM_POST,
	OP_SEM_GET,
	OP_SEM_INIT, /* to value */
	OP_SEM_DESTROY,
	OP_COND_WAIT, /* only with mutex 0 held */
	OP_COND_TIMED,
	OP_COND_SIGNAL,
	OP_COND_BROADCAST,
	OP_COND_INIT,
	OP_COND_DESTROY,
	OP_BARRIER_WAIT, /* for two */
	OP_BARRIER_INIT, /* misuse if a thread waits */
	OP_BARRIER_DESTROY,
	OP_ONCE, /* adds 1 to variable 0 */
	OP_FUTEX_SET,
	OP_FUTEX_WAIT, /* while the word is value */
	OP_FUTEX_TIMED,
	OP_FUTEX_WAKE, /* value waiters */
	OP_FUTEX_REQUEUE, /* if the word is value: wakes 1, moves the others to the other word */
	OP_FUTEX_MOVE,      /* the same, whatever the word is */
	OP_FUTEX_WAIT_MASK, /* while the word is 0, with this mask */
	OP_FUTEX_WAKE_MASK, /* all with a bit of this mask */
	OP_FUTEX_WAKE_OP,   /* adds 1 to the other word; wakes 1 here, and 1 there if that was value */
	OP_NAMED_OPEN,      /* makes it with this value, if there is none of that name */
	OP_NAMED_POST,      /* the one that the thread has opened */
	OP_NAMED_TRY,
	OP_NAMED_CLOSE,
	OP_NAMED_UNLINK,
	OP_HEAP_NEW, /* allocates a block with the value, and publishes it */
	OP_HEAP_READ, /* of the published block, if there is one */
	OP_HEAP_TAKE, /* unpublishes it, and frees it */
	OP_HEAP_FREE, /* frees it, and leaves it published */
	OP_HEAP_GROW, /* makes it larger by realloc, and publishes the result */
	OP_CHANNEL_PUT, /* channel 0 is a pipe, to which value + 1 is written, channel 1 an event */
	OP_CHANNEL_GET,
	OP_CHANNEL_READY, /* could one get something now? */
	OP_CHANNEL_EITHER, /* waits until one could, of which one */
	OP_CHANNEL_CLOSE, /* the end of the pipe that is written */
	OP_CHANNEL_COUNT, /* the bytes in the pipe */
	OP_TIMER_SET,     /* a timer that is a descriptor: runs out, or not if value is 0 */
	OP_TIMER_GET,
	OP_EPOLL_ADD, /* one epoll for all; this channel once only if value */
	OP_EPOLL_MOD,
	OP_EPOLL_DEL,
	OP_EPOLL_WAIT, /* which ones are ready; not for long if value is 0 */
	OP_NUMBER_DUP, /* which number of a descriptor that is */
	OP_NUMBER_PIPE, /* and the next free one */
	OP_NUMBER_TAKE, /* dup2 to this number */
	OP_NUMBER_CLOSE,
	OP_FLOCK, /* each thread has its own descriptor; for all if value */
	OP_FLOCK_TRY,
	OP_FLOCK_UNLOCK,
	OP_STREAM_LOCK, /* flockfile */
	OP_STREAM_TRY,
	OP_STREAM_UNLOCK, /* only if held */
	OP_SIGNAL_SEND, /* to thread 0, or to the process; all threads block it */
	OP_SIGNAL_WAIT,
	OP_SIGNAL_TIMED,
	OP_SIGNAL_PENDING,
	OP_KILL, /* thread `object`: its handler adds 1 to variable 1 */
	OP_RAISE,
	OP_MASK,  /* blocks this signal if value, or does not */
	OP_PAUSE, /* until the handler has run */
	OP_SUSPEND, /* the same, blocking the signal if value, or not */
	OP_ALARM,   /* the same handler; none if value is 0 */
	OP_CANCEL,
	OP_CANCEL_STATE, /* off if value */
	OP_CANCEL_TYPE,  /* at any time if value */
	OP_CANCEL_TEST,
	OP_YIELD,
	OP_FENCE,
	OP_EXIT_IF,  /* variable 0 is value: exit(3), or _exit if object */
	OP_CRASH_IF, /* a write through NULL */
	OP_ABORT_IF,
	OP_LEAVE_IF, /* pthread_exit */
	OPS
};

/* Plain memory: static, the main thread's thread-local storage and its stack. */
enum memory { MEMORY_STATIC, MEMORY_TLS, MEMORY_STACK, MEMORIES };

/* By which functions: the same with pthread_mutex_timedlock, pthread_mutex_clocklock or mtx_timedlock. */
enum api { API_POSIX, API_CLOCK, API_C11, APIS };

enum mutex_type { NORMAL, RECURSIVE, ERROR_CHECKING, ROBUST };

struct op {
	uint8_t what, object, value;
};

struct program {
	uint8_t nthreads, quarantine, sem, mutex_type[2];
	uint8_t writers_first; /* the kind of the read-write lock */
	uint8_t event_counts;  /* who gets an event gets all that was put, not one */
	uint8_t restarts;      /* SA_RESTART */
	uint8_t spurious;      /* a thread may leave a condition without a signal, once */
	uint8_t api;           /* C11 has no mutex that checks errors, or that is robust */
	uint8_t twins;         /* threads 1 to this one are given the same; 0 */
	uint8_t n[MOST_THREADS];
	struct op ops[MOST_THREADS][MOST_OPS];
};

/* How an execution ended. */
enum end {
	END_STUCK = 0, /* a deadlock */
	END_OK,
	END_EXIT,
	END_CRASH,
	END_ABORT,
	END_USE_AFTER_FREE,
	END_BAD_FREE,
	END_MISUSE,
	ENDS
};

/* What an execution came to, as the program itself can see it: the result of each operation plus 1
 * (0: it has not ended), and how far the end has come. */
struct record {
	uint8_t result[MOST_THREADS][MOST_OPS];
	uint8_t value[2], memory[MEMORIES], futex[2]; /* with MARK_FINAL */
	uint8_t marks;
	uint8_t end; /* enum end; only the model knows it */
};

#define MARK_MAIN  1 /* main came to its end */
#define MARK_EXIT  2 /* somebody called exit */
#define MARK_FINAL 4 /* main had joined all others, and saw what is in memory */

/* What a join, and other calls, return. */
#define JOINED_CANCELLED 5 /* the thread was cancelled */
#define JOINED_LEFT	 7 /* it has ended by pthread_exit */
#define OWNER_DIED	 2
#define NOT_RECOVERABLE	 3

static inline bool program_has(const struct program *p, unsigned first, unsigned last)
{
	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned i = 0; i < p->n[t]; i++)
			if (p->ops[t][i].what >= first && p->ops[t][i].what <= last)
				return true;
	return false;
}

static inline bool is_destruction(unsigned what)
{
	return what == OP_MUTEX_DESTROY || what == OP_RW_DESTROY || what == OP_SPIN_DESTROY || what == OP_SEM_DESTROY ||
	       what == OP_COND_DESTROY || what == OP_BARRIER_DESTROY;
}

/* Are all threads joined by those who create them? */
static inline bool joins_all(const struct program *p)
{
	int n = 0;

	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned i = 0; i < p->n[t]; i++)
			n += (p->ops[t][i].what == OP_CREATE) - (p->ops[t][i].what == OP_JOIN);
	return !n;
}

/* What the target leaves: a record for each execution. */
struct records {
	uint32_t n;
	uint32_t capacity;
	struct record list[];
};

/* Draws a program from a seed. */
void generate(struct program *p, uint64_t seed);
void generate_writes(struct program *p, uint64_t seed);
void generate_twins(struct program *p, uint64_t seed);
void generate_heap(struct program *p, uint64_t seed);

#endif
