/* SPDX-License-Identifier: MIT
 *
 * linchpin_log.h: record the history of any multi-threaded C or C++ program, and check it with
 * `linchpin check`. It needs neither a library nor the scheduler: real threads at full speed.
 *
 *	struct linchpin_log *log = linchpin_log_open(threads, operations_per_thread);
 *
 *	// in each thread, with another number:
 *	struct linchpin_logger *me = linchpin_log_thread(log, 0);
 *
 *	linchpin_log_call(me, "push", 7);            // just before the operation
 *	stack_push(s, 7);
 *	linchpin_log_return_void(me);                // just after it
 *
 *	linchpin_log_call(me, "pop");
 *	bool some = stack_pop(s, &v);
 *	some ? linchpin_log_return(me, v) : linchpin_log_return_empty(me);
 *
 *	// at the end:
 *	linchpin_log_save(log, "history.txt", "specification stack");
 *	linchpin_log_close(log);
 *
 *	function or macro                            meaning
 *	linchpin_log_open(threads, operations)       a new log; NULL: no memory. Free it with close
 *	linchpin_log_thread(log, number)             the part of one thread, 0 <= number < threads;
 *	                                             it belongs to the log
 *	linchpin_log_call(me, "OPERATION", ...)      an operation starts, up to three integer
 *	                                             arguments
 *	linchpin_log_return(me, value)               it ends with a value (booleans are 0 and 1)
 *	linchpin_log_return_empty(me)                it ends: there was nothing
 *	linchpin_log_return_void(me)                 it ends without a result
 *	linchpin_log_write(log, file, header)        writes the history; 0, or -1 and errno
 *	linchpin_log_save(log, path, header)         the same into a new file
 *	linchpin_log_close(log)                      frees the log; NULL is allowed
 *
 * Only one thread at a time may use a struct linchpin_logger. Strings are not copied: names of
 * operations must live as long as the log. With several objects write "s.push" for the operation,
 * and a line "object s stack" for each object in the header given to write or save. The format of
 * the file is `text` in docs/history-formats.md.
 *
 * Cost: two readings of the clock and two fences for each operation. A thread writes only into
 * records of its own, allocated by linchpin_log_open, so recording is wait-free: no lock, no shared
 * cache line, no system call. A thread that runs out of records allocates as many again; if that
 * fails, write and save return -1 with ENOMEM.
 *
 * Promise: a violation that `linchpin check` finds is real. The call is stamped before the
 * operation's first access, the return after its last access is visible to every thread, so the
 * recorded interval is never shorter than the real one.
 *
 * Stamps are ticks of the time stamp counter if the processor says that it runs at one rate, else
 * nanoseconds of CLOCK_MONOTONIC. LINCHPIN_LOG_CLOCK=monotonic in the environment chooses the
 * latter, for machines on which the counters of the cores disagree. Times in the file count from
 * the first call.
 *
 * C99 or later, C++11 or later, gcc and clang. clock_gettime() must be declared: with -std=c99 or
 * -std=c11 also give -D_POSIX_C_SOURCE=199309L, or use -std=gnu99.
 */
#ifndef LINCHPIN_LOG_H
#define LINCHPIN_LOG_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LINCHPIN_LOG_MAX_ARGS 3
#define LINCHPIN_LOG_RUNNING_ INT64_MAX

enum linchpin_log_kind_ { LINCHPIN_LOG_VOID_, LINCHPIN_LOG_VALUE_, LINCHPIN_LOG_EMPTY_ };

struct linchpin_log_record_ {
	const char *operation;
	int64_t call, ret; /* ret is LINCHPIN_LOG_RUNNING_ until the operation has returned */
	int64_t args[LINCHPIN_LOG_MAX_ARGS];
	int64_t result;
	uint32_t nargs;
	uint32_t kind; /* enum linchpin_log_kind_ */
};

struct linchpin_log_chunk_ {
	struct linchpin_log_chunk_ *next;
	size_t capacity;
	size_t used; /* written by the owner, read by whoever saves */
	struct linchpin_log_record_ *records;
};

struct linchpin_logger {
	struct linchpin_log_chunk_ *first, *last;
	struct linchpin_log_record_ *running;
	int tsc;
	int lost;          /* a record could not be allocated */
	char padding[128]; /* no two threads in one cache line */
};

struct linchpin_log {
	unsigned threads;
	int tsc;
	struct linchpin_logger *thread;
};

/* Does the time stamp counter tick at one rate, whatever the cores do? */
static inline int linchpin_log_has_tsc_(void)
{
	const char *wish = getenv("LINCHPIN_LOG_CLOCK");

	if (wish && !strcmp(wish, "monotonic"))
		return 0;
#if defined(__x86_64__) || defined(__i386__)
	{
		unsigned a, b, c, d;

		return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
	}
#else
	return 0;
#endif
}

static inline int64_t linchpin_log_clock_(int tsc)
{
	struct timespec now;

#if defined(__x86_64__) || defined(__i386__)
	if (tsc)
		return (int64_t)__builtin_ia32_rdtsc();
#endif
	(void)tsc;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* No load behind it starts before the clock has been read. (A store becomes visible later than it
 * is executed, so stores need nothing.) */
static inline int64_t linchpin_log_stamp_call_(int tsc)
{
	int64_t now = linchpin_log_clock_(tsc);

#if defined(__x86_64__) || defined(__i386__)
	__asm__ __volatile__("lfence" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
	return now;
}

/* Everything before it has been executed, and its stores have left the store buffer, when the
 * clock is read. */
static inline int64_t linchpin_log_stamp_return_(int tsc)
{
#if defined(__x86_64__)
	__asm__ __volatile__("mfence\n\tlfence" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
	return linchpin_log_clock_(tsc);
}

static inline struct linchpin_log_chunk_ *linchpin_log_new_chunk_(size_t capacity)
{
	struct linchpin_log_chunk_ *chunk = (struct linchpin_log_chunk_ *)calloc(1, sizeof *chunk);

	if (!chunk)
		return NULL;
	chunk->capacity = capacity;
	chunk->records = (struct linchpin_log_record_ *)malloc(capacity * sizeof *chunk->records);
	if (!chunk->records) {
		free(chunk);
		return NULL;
	}
	/* Touch the pages now, not while the program runs. */
	memset(chunk->records, 0, capacity * sizeof *chunk->records);
	return chunk;
}

static inline void linchpin_log_close(struct linchpin_log *log)
{
	unsigned i;

	if (!log)
		return;
	for (i = 0; log->thread && i < log->threads; i++) {
		struct linchpin_log_chunk_ *chunk = log->thread[i].first;

		while (chunk) {
			struct linchpin_log_chunk_ *next = chunk->next;

			free(chunk->records);
			free(chunk);
			chunk = next;
		}
	}
	free(log->thread);
	free(log);
}

/* A log for this many threads, with room for this many operations of each. NULL: no memory. */
static inline struct linchpin_log *linchpin_log_open(unsigned threads, size_t operations)
{
	struct linchpin_log *log = (struct linchpin_log *)calloc(1, sizeof *log);
	unsigned i;

	if (!log)
		return NULL;
	log->threads = threads;
	log->tsc = linchpin_log_has_tsc_();
	log->thread = (struct linchpin_logger *)calloc(threads ? threads : 1, sizeof *log->thread);
	for (i = 0; log->thread && i < threads; i++) {
		struct linchpin_logger *t = &log->thread[i];

		t->tsc = log->tsc;
		t->first = t->last = linchpin_log_new_chunk_(operations ? operations : 1);
		if (!t->first)
			break;
	}
	if (!log->thread || i < threads) {
		linchpin_log_close(log);
		return NULL;
	}
	return log;
}

/* The log of one thread, 0 <= number < threads. Only one thread at a time may use it. */
static inline struct linchpin_logger *linchpin_log_thread(struct linchpin_log *log, unsigned number)
{
	return &log->thread[number];
}

/* Adds a chunk behind a full one. 0: no memory; what follows in this thread is lost. */
static inline int linchpin_log_grow_(struct linchpin_logger *t)
{
	struct linchpin_log_chunk_ *chunk = linchpin_log_new_chunk_(t->last->capacity);

	if (!chunk) {
		t->lost = 1;
		t->running = NULL;
		return 0;
	}
	__atomic_store_n(&t->last->next, chunk, __ATOMIC_RELEASE);
	t->last = chunk;
	return 1;
}

static inline void linchpin_log_call_(struct linchpin_logger *t, const char *operation,
				      unsigned nargs, int64_t a, int64_t b, int64_t c)
{
	struct linchpin_log_record_ *r;

	if (t->last->used == t->last->capacity && !linchpin_log_grow_(t))
		return;
	r = &t->last->records[t->last->used];
	r->operation = operation;
	r->nargs = nargs;
	r->args[0] = a;
	r->args[1] = b;
	r->args[2] = c;
	r->ret = LINCHPIN_LOG_RUNNING_;
	t->running = r;
	r->call = linchpin_log_stamp_call_(t->tsc);
	__atomic_store_n(&t->last->used, t->last->used + 1, __ATOMIC_RELEASE);
#if !defined(__x86_64__) && !defined(__i386__)
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static inline void linchpin_log_return_(struct linchpin_logger *t, uint32_t kind, int64_t result)
{
	int64_t now = linchpin_log_stamp_return_(t->tsc);

	if (!t->running)
		return;
	t->running->kind = kind;
	t->running->result = result;
	__atomic_store_n(&t->running->ret, now, __ATOMIC_RELEASE);
	t->running = NULL;
}

/* An operation starts: linchpin_log_call(thread, "name", up to three integer arguments). */
#define linchpin_log_call(...)                                                                     \
	LINCHPIN_LOG_PICK_(__VA_ARGS__, LINCHPIN_LOG_CALL3_, LINCHPIN_LOG_CALL2_,                  \
			   LINCHPIN_LOG_CALL1_, LINCHPIN_LOG_CALL0_, )                             \
	(__VA_ARGS__)

/* It ends: with a value; there was nothing; without a result. */
#define linchpin_log_return(t, value)                                                              \
	linchpin_log_return_((t), LINCHPIN_LOG_VALUE_, (int64_t)(value))
#define linchpin_log_return_empty(t) linchpin_log_return_((t), LINCHPIN_LOG_EMPTY_, 0)
#define linchpin_log_return_void(t)  linchpin_log_return_((t), LINCHPIN_LOG_VOID_, 0)

#define LINCHPIN_LOG_PICK_(t, n, a, b, c, macro, ...) macro
#define LINCHPIN_LOG_CALL0_(t, n)                     linchpin_log_call_((t), (n), 0, 0, 0, 0)
#define LINCHPIN_LOG_CALL1_(t, n, a)                  linchpin_log_call_((t), (n), 1, (int64_t)(a), 0, 0)
#define LINCHPIN_LOG_CALL2_(t, n, a, b)                                                            \
	linchpin_log_call_((t), (n), 2, (int64_t)(a), (int64_t)(b), 0)
#define LINCHPIN_LOG_CALL3_(t, n, a, b, c)                                                         \
	linchpin_log_call_((t), (n), 3, (int64_t)(a), (int64_t)(b), (int64_t)(c))

/* One line of the text. Times count from `origin`; an operation that returned after `now` is written
 * as pending. */
static inline void linchpin_log_line_(FILE *to, unsigned thread,
				      const struct linchpin_log_record_ *r, int64_t origin,
				      int64_t now)
{
	int64_t ret = __atomic_load_n(&r->ret, __ATOMIC_ACQUIRE);
	uint32_t i;

	if (ret > now)
		fprintf(to, "%u %lld - %s(", thread, (long long)(r->call - origin), r->operation);
	else
		fprintf(to, "%u %lld %lld %s(", thread, (long long)(r->call - origin),
			(long long)(ret - origin), r->operation);
	for (i = 0; i < r->nargs; i++)
		fprintf(to, i ? ", %lld" : "%lld", (long long)r->args[i]);
	fputs(")", to);
	if (ret <= now && r->kind == LINCHPIN_LOG_VALUE_)
		fprintf(to, " -> %lld", (long long)r->result);
	else if (ret <= now && r->kind == LINCHPIN_LOG_EMPTY_)
		fputs(" -> empty", to);
	fputs("\n", to);
}

/* The records of one thread up to the first call after `now`: not to the last, which a thread that
 * goes on might append faster than they are written. */
static inline void linchpin_log_lines_(FILE *to, unsigned thread,
				       const struct linchpin_log_chunk_ *chunk, int64_t origin,
				       int64_t now)
{
	for (; chunk; chunk = __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE)) {
		size_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE), k;

		for (k = 0; k < used; k++) {
			if (chunk->records[k].call > now)
				return;
			linchpin_log_line_(to, thread, &chunk->records[k], origin, now);
		}
	}
}

/* Writes the header lines (NULL: none), then the history so far in linchpin's text format. May be
 * called while threads still record: the history is that of the moment of the call, and what had
 * not returned then is pending. Does not close `to`. 0, or -1 and errno. */
static inline int linchpin_log_write(struct linchpin_log *log, FILE *to, const char *header)
{
	/* Taken before any record is read: an effect that somebody saw by now has its record. */
	int64_t now = linchpin_log_stamp_call_(log->tsc), origin = INT64_MAX;
	unsigned i;

	if (header)
		fprintf(to, "%s%s", header,
			*header && header[strlen(header) - 1] != '\n' ? "\n" : "");
	for (i = 0; i < log->threads; i++) {
		const struct linchpin_logger *t = &log->thread[i];

		if (t->lost) {
			errno = ENOMEM;
			return -1;
		}
		if (__atomic_load_n(&t->first->used, __ATOMIC_ACQUIRE) &&
		    t->first->records[0].call < origin)
			origin = t->first->records[0].call;
	}
	for (i = 0; i < log->threads; i++)
		linchpin_log_lines_(to, i, log->thread[i].first, origin, now);
	return fflush(to) || ferror(to) ? -1 : 0;
}

/* The same into a file of this name, which is replaced. */
static inline int linchpin_log_save(struct linchpin_log *log, const char *path, const char *header)
{
	FILE *to = fopen(path, "w");
	int result;

	if (!to)
		return -1;
	result = linchpin_log_write(log, to, header);
	if (fclose(to))
		result = -1;
	return result;
}

#ifdef __cplusplus
}
#endif

#endif
