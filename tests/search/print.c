/* SPDX-License-Identifier: MIT
 *
 * Programs and records as text.
 */
#include "print.h"

#include <stdio.h>

static const char *const names[OPS] = {
	[OP_END] = "end",
	[OP_CREATE] = "create",
	[OP_JOIN] = "join",
	[OP_JOIN_TRY] = "join-try",
	[OP_JOIN_TIMED] = "join-timed",
	[OP_LOAD] = "load",
	[OP_STORE] = "store",
	[OP_FETCH_ADD] = "fetch-add",
	[OP_EXCHANGE] = "exchange",
	[OP_CAS] = "compare-exchange",
	[OP_READ] = "read",
	[OP_WRITE] = "write",
	[OP_ADD] = "add",
	[OP_MUTEX_LOCK] = "mutex-lock",
	[OP_MUTEX_TRY] = "mutex-try",
	[OP_MUTEX_TIMED] = "mutex-timed",
	[OP_MUTEX_UNLOCK] = "mutex-unlock",
	[OP_MUTEX_CONSISTENT] = "mutex-consistent",
	[OP_MUTEX_INIT] = "mutex-init",
	[OP_MUTEX_DESTROY] = "mutex-destroy",
	[OP_RW_READ] = "rwlock-read",
	[OP_RW_TRY_READ] = "rwlock-try-read",
	[OP_RW_TIMED_READ] = "rwlock-timed-read",
	[OP_RW_WRITE] = "rwlock-write",
	[OP_RW_TRY_WRITE] = "rwlock-try-write",
	[OP_RW_TIMED_WRITE] = "rwlock-timed-write",
	[OP_RW_UNLOCK] = "rwlock-unlock",
	[OP_RW_INIT] = "rwlock-init",
	[OP_RW_DESTROY] = "rwlock-destroy",
	[OP_SPIN_LOCK] = "spin-lock",
	[OP_SPIN_TRY] = "spin-try",
	[OP_SPIN_UNLOCK] = "spin-unlock",
	[OP_SPIN_INIT] = "spin-init",
	[OP_SPIN_DESTROY] = "spin-destroy",
	[OP_SEM_WAIT] = "sem-wait",
	[OP_SEM_TRY] = "sem-try",
	[OP_SEM_TIMED] = "sem-timed",
	[OP_SEM_POST] = "sem-post",
	[OP_SEM_GET] = "sem-getvalue",
	[OP_SEM_INIT] = "sem-init",
	[OP_SEM_DESTROY] = "sem-destroy",
	[OP_COND_WAIT] = "cond-wait",
	[OP_COND_TIMED] = "cond-timed",
	[OP_COND_SIGNAL] = "cond-signal",
	[OP_COND_BROADCAST] = "cond-broadcast",
	[OP_COND_INIT] = "cond-init",
	[OP_COND_DESTROY] = "cond-destroy",
	[OP_BARRIER_WAIT] = "barrier-wait",
	[OP_BARRIER_INIT] = "barrier-init",
	[OP_BARRIER_DESTROY] = "barrier-destroy",
	[OP_ONCE] = "once",
	[OP_FUTEX_SET] = "futex-set",
	[OP_FUTEX_WAIT] = "futex-wait",
	[OP_FUTEX_TIMED] = "futex-timed",
	[OP_FUTEX_WAKE] = "futex-wake",
	[OP_FUTEX_REQUEUE] = "futex-requeue",
	[OP_FUTEX_MOVE] = "futex-move",
	[OP_FUTEX_WAIT_MASK] = "futex-wait-mask",
	[OP_FUTEX_WAKE_MASK] = "futex-wake-mask",
	[OP_FUTEX_WAKE_OP] = "futex-wake-op",
	[OP_NAMED_OPEN] = "named-open",
	[OP_NAMED_POST] = "named-post",
	[OP_NAMED_TRY] = "named-try",
	[OP_NAMED_CLOSE] = "named-close",
	[OP_NAMED_UNLINK] = "named-unlink",
	[OP_HEAP_NEW] = "heap-new",
	[OP_HEAP_READ] = "heap-read",
	[OP_HEAP_TAKE] = "heap-take",
	[OP_HEAP_FREE] = "heap-free",
	[OP_HEAP_GROW] = "heap-grow",
	[OP_CHANNEL_PUT] = "channel-put",
	[OP_CHANNEL_GET] = "channel-get",
	[OP_CHANNEL_READY] = "channel-ready",
	[OP_CHANNEL_EITHER] = "channel-either",
	[OP_CHANNEL_CLOSE] = "channel-close",
	[OP_CHANNEL_COUNT] = "channel-count",
	[OP_TIMER_SET] = "timer-set",
	[OP_TIMER_GET] = "timer-get",
	[OP_EPOLL_ADD] = "epoll-add",
	[OP_EPOLL_MOD] = "epoll-mod",
	[OP_EPOLL_DEL] = "epoll-del",
	[OP_EPOLL_WAIT] = "epoll-wait",
	[OP_NUMBER_DUP] = "number-dup",
	[OP_NUMBER_PIPE] = "number-pipe",
	[OP_NUMBER_TAKE] = "number-take",
	[OP_NUMBER_CLOSE] = "number-close",
	[OP_FLOCK] = "flock",
	[OP_FLOCK_TRY] = "flock-try",
	[OP_FLOCK_UNLOCK] = "flock-unlock",
	[OP_STREAM_LOCK] = "stream-lock",
	[OP_STREAM_TRY] = "stream-try",
	[OP_STREAM_UNLOCK] = "stream-unlock",
	[OP_SIGNAL_SEND] = "signal-send",
	[OP_SIGNAL_WAIT] = "signal-wait",
	[OP_SIGNAL_TIMED] = "signal-timed",
	[OP_SIGNAL_PENDING] = "signal-pending",
	[OP_KILL] = "kill",
	[OP_RAISE] = "raise",
	[OP_MASK] = "mask",
	[OP_PAUSE] = "pause",
	[OP_SUSPEND] = "suspend",
	[OP_ALARM] = "alarm",
	[OP_CANCEL] = "cancel",
	[OP_CANCEL_STATE] = "cancel-state",
	[OP_CANCEL_TYPE] = "cancel-type",
	[OP_CANCEL_TEST] = "cancel-test",
	[OP_YIELD] = "yield",
	[OP_FENCE] = "fence",
	[OP_EXIT_IF] = "exit-if",
	[OP_CRASH_IF] = "crash-if",
	[OP_ABORT_IF] = "abort-if",
	[OP_LEAVE_IF] = "leave-if",
};

const char *op_name(unsigned what)
{
	return names[what];
}

void print_program(const struct program *p)
{
	printf("  %s, semaphore %u, mutex types %u %u, %s first, %s, %s%s%s\n",
	       (const char *const[]){ "POSIX", "POSIX with clocks", "C11" }[p->api], p->sem, p->mutex_type[0],
	       p->mutex_type[1], p->writers_first ? "writers" : "readers",
	       p->quarantine ? "quarantine" : "reuse", p->event_counts ? "events count" : "events one by one",
	       p->spurious ? ", spurious" : "", p->restarts ? ", restarts" : "");
	for (unsigned t = 0; t < p->nthreads; t++) {
		printf("  thread %u:", t);
		for (unsigned i = 0; i < p->n[t]; i++) {
			const struct op *o = &p->ops[t][i];

			printf(" %s(%u,%u)", names[o->what], o->object, o->value);
		}
		putchar('\n');
	}
}

void print_record(const struct program *p, const struct record *r)
{
	printf("  results");
	for (unsigned t = 0; t < p->nthreads; t++) {
		putchar(' ');
		for (unsigned i = 0; i < p->n[t]; i++)
			printf(r->result[t][i] ? "%d" : "-", r->result[t][i] - 1);
	}
	printf(", marks %u, variables %u %u, memory %u %u %u, futexes %u %u, end %u\n", r->marks,
	       r->value[0], r->value[1], r->memory[0], r->memory[1], r->memory[2], r->futex[0],
	       r->futex[1], r->end);
}
