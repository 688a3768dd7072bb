/* SPDX-License-Identifier: MIT
 *
 * search-target PROGRAM FILE: does the operations of a program (ops.h, in hexadecimal), and writes
 * what each execution came to into FILE. Only what the operations touch is an event. What has come out is in
 * the program's memory, so it is a part of its state; the file is shared memory of which the runtime knows
 * nothing, so it keeps what executions leave there.
 */
#include "target_calls.h"

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((noinline))

static struct program program;
static struct record record;

static atomic_int var[2];
static int plain, *memory[MEMORIES];
static __thread int local;
static pthread_spinlock_t spin;
sem_t sem;
static pthread_barrier_t barrier;
static atomic_int futexes[2];
static int *_Atomic published;
static unsigned begun; /* of the twins */

static bool joined[MOST_THREADS];

/* What a thread holds; on its own stack. */
struct held {
	int mutex[2], rwlock, spin, stream;
	sem_t *named;
};

static VISIBLE int get(const int *p)
{
	return *p;
}

static VISIBLE void set(int *p, int v)
{
	*p = v;
}

static VISIBLE int add(int *p, int v)
{
	return *p += v;
}

static VISIBLE int load(atomic_int *p)
{
	return atomic_load(p);
}

static VISIBLE void store(atomic_int *p, int v)
{
	atomic_store(p, v);
}

static VISIBLE int fetch_add(atomic_int *p, int v)
{
	return atomic_fetch_add(p, v);
}

static VISIBLE int exchange(atomic_int *p, int v)
{
	return atomic_exchange(p, v);
}

static VISIBLE int compare_exchange(atomic_int *p, int expected, int v)
{
	return atomic_compare_exchange_strong(p, &expected, v);
}

static VISIBLE int *pointer_load(void)
{
	return atomic_load(&published);
}

static VISIBLE void pointer_store(int *p)
{
	atomic_store(&published, p);
}

static VISIBLE int *pointer_take(void)
{
	return atomic_exchange(&published, NULL);
}

static VISIBLE void fence(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

static QUIET void in_once(void)
{
	fetch_add(&var[0], 1);
}

static QUIET long futex(atomic_int *word, int op, int value, void *more, atomic_int *other, int value3)
{
	return syscall(SYS_futex, word, op, value, more, other, value3);
}

static QUIET void *thread(void *arg);

static QUIET void keep_record(void)
{
	record_keep(&record);
}

static QUIET void finish(void)
{
	record.marks |= MARK_MAIN;
	keep_record();
	if (!joins_all(&program))
		return;
	record.marks |= MARK_FINAL;
	for (int i = 0; i < 2; i++) {
		record.value[i] = (uint8_t)var[i];
		record.futex[i] = (uint8_t)futexes[i];
	}
	for (int i = 0; i < MEMORIES; i++)
		record.memory[i] = (uint8_t)*memory[i];
	keep_record();
}

static QUIET int on_mutex(const struct op *o, struct held *h, const struct timespec *t)
{
	int r;

	if (o->what == OP_MUTEX_UNLOCK && !h->mutex[o->object] &&
	    program.mutex_type[o->object] != ERROR_CHECKING)
		return 9;
	r = call_mutex(program.api, o->what, o->object, program.mutex_type[o->object], t);
	if (o->what == OP_MUTEX_UNLOCK)
		h->mutex[o->object] -= !r;
	else if (o->what < OP_MUTEX_UNLOCK)
		h->mutex[o->object] += !r || r == EOWNERDEAD;
	return r == EOWNERDEAD ? OWNER_DIED : r == ENOTRECOVERABLE ? NOT_RECOVERABLE : r == EINVAL ? 9 : r != 0;
}

static QUIET int on_rwlock(const struct op *o, struct held *h, const struct timespec *t)
{
	int r;

	if (o->what == OP_RW_UNLOCK && !h->rwlock--) {
		h->rwlock = 0;
		return 9;
	}
	r = call_rwlock(program.api, o->what, program.writers_first, t);
	h->rwlock += !r && o->what < OP_RW_UNLOCK;
	return r != 0;
}

static QUIET int on_spin(const struct op *o, struct held *h)
{
	int r = 0;

	switch (o->what) {
	case OP_SPIN_LOCK:
		r = pthread_spin_lock(&spin);
		break;
	case OP_SPIN_TRY:
		r = pthread_spin_trylock(&spin);
		break;
	case OP_SPIN_UNLOCK:
		if (!h->spin)
			return 9;
		h->spin = 0;
		return pthread_spin_unlock(&spin);
	case OP_SPIN_INIT:
		return pthread_spin_init(&spin, 0);
	case OP_SPIN_DESTROY:
		return pthread_spin_destroy(&spin);
	}
	h->spin |= !r;
	return r != 0;
}

static QUIET int on_semaphore(const struct op *o, const struct timespec *t)
{
	int value;

	switch (o->what) {
	case OP_SEM_WAIT:
		return sem_wait(&sem) != 0;
	case OP_SEM_TRY:
		return sem_trywait(&sem) != 0;
	case OP_SEM_TIMED:
		return call_semaphore(program.api, t) != 0;
	case OP_SEM_POST:
		return sem_post(&sem);
	case OP_SEM_GET:
		sem_getvalue(&sem, &value);
		return value;
	case OP_SEM_DESTROY:
		return sem_destroy(&sem);
	default:
		return sem_init(&sem, 0, o->value);
	}
}

static QUIET int on_condition(const struct op *o, struct held *h, const struct timespec *t)
{
	if ((o->what == OP_COND_WAIT || o->what == OP_COND_TIMED) && !h->mutex[0])
		return 9;
	return call_condition(program.api, o->what, t) != 0;
}

/* Adds 1 to the other word; who waits there is woken if it was this. */
static QUIET int wake_op(atomic_int *word, atomic_int *other, int value)
{
	return (int)futex(word, FUTEX_WAKE_OP, 1, (void *)1L, other,
			  (int)FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, value));
}

static QUIET int on_futex(const struct op *o, struct timespec *t)
{
	atomic_int *word = &futexes[o->object], *other = &futexes[1 - o->object];
	long r;

	switch (o->what) {
	case OP_FUTEX_SET:
		store(word, o->value);
		return 0;
	case OP_FUTEX_WAIT:
		return futex(word, FUTEX_WAIT, o->value, NULL, NULL, 0) != 0;
	case OP_FUTEX_TIMED:
		r = futex(word, FUTEX_WAIT, o->value, t, NULL, 0);
		return !r ? 0 : errno == ETIMEDOUT ? 2 : 1;
	case OP_FUTEX_WAKE:
		return (int)futex(word, FUTEX_WAKE, o->value, NULL, NULL, 0);
	case OP_FUTEX_MOVE:
		return (int)futex(word, FUTEX_REQUEUE, 1, (void *)(long)INT_MAX, other, 0);
	case OP_FUTEX_WAIT_MASK:
		return futex(word, FUTEX_WAIT_BITSET, 0, NULL, NULL, o->value) != 0;
	case OP_FUTEX_WAKE_MASK:
		return (int)futex(word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, o->value);
	case OP_FUTEX_WAKE_OP:
		return wake_op(word, other, o->value);
	default:
		r = futex(word, FUTEX_CMP_REQUEUE, 1, (void *)(long)INT_MAX, other, o->value);
		return r < 0 ? 9 : (int)r;
	}
}

static QUIET int on_heap(const struct op *o)
{
	int *p;

	switch (o->what) {
	case OP_HEAP_NEW:
		p = malloc(40);
		set(p, o->value);
		pointer_store(p);
		return 0;
	case OP_HEAP_READ:
		p = pointer_load();
		return p ? get(p) : 9;
	case OP_HEAP_GROW:
		p = pointer_load();
		if (p)
			pointer_store(realloc(p, 100));
		return p != NULL;
	case OP_HEAP_TAKE:
		p = pointer_take();
		break;
	default:
		p = pointer_load();
		break;
	}
	free(p);
	return p != NULL;
}

static int *volatile nowhere; /* the compiler must not know */

static QUIET int end_if(const struct op *o)
{
	if (load(&var[0]) != o->value)
		return 0;
	switch (o->what) {
	case OP_EXIT_IF:
		record.marks |= MARK_EXIT;
		keep_record();
		if (o->object)
			_exit(3);
		exit(3);
	case OP_LEAVE_IF:
		pthread_exit(call_left());
	case OP_CRASH_IF:
		set(nowhere, 1);
		break;
	default:
		abort();
	}
	return 0;
}

static QUIET int join(const struct op *o, const struct timespec *t)
{
	int r;

	if (joined[o->object])
		return 9;
	r = call_join(program.api, o->what, o->object, program.twins ? NULL : t);
	joined[o->object] = r != 1;
	return r;
}

static QUIET int on_stream(const struct op *o, struct held *h)
{
	int r = o->what == OP_STREAM_UNLOCK && !h->stream ? 9 : call_stream(o);

	h->stream += r ? 0 : o->what == OP_STREAM_UNLOCK ? -1 : 1;
	return r;
}

static QUIET int run(const struct op *o, struct held *h, unsigned number)
{
	struct timespec t = { 4000000000 + 1000 * (long)number, 0 };

	switch (o->what) {
	case OP_CREATE:
		return call_thread(program.api, o->object, thread,
				   (void *)(long)(o->object <= program.twins ? 1 : o->object));
	case OP_JOIN:
	case OP_JOIN_TRY:
	case OP_JOIN_TIMED:
		return join(o, &t);
	case OP_LOAD:
		return load(&var[o->object]);
	case OP_STORE:
		store(&var[o->object], o->value);
		return 0;
	case OP_FETCH_ADD:
		return fetch_add(&var[o->object], 1);
	case OP_EXCHANGE:
		return exchange(&var[o->object], o->value);
	case OP_CAS:
		return compare_exchange(&var[o->object], o->value & 1, o->value >> 1);
	case OP_READ:
		return get(memory[o->object]);
	case OP_WRITE:
		set(memory[o->object], o->value);
		return 0;
	case OP_ADD:
		return add(memory[o->object], 1);
	case OP_YIELD:
		return sched_yield();
	case OP_FENCE:
		fence();
		return 0;
	case OP_ONCE:
		return call_once_only(program.api, in_once);
	case OP_BARRIER_WAIT:
		return pthread_barrier_wait(&barrier) != 0;
	case OP_BARRIER_INIT:
		return pthread_barrier_init(&barrier, NULL, 2);
	case OP_BARRIER_DESTROY:
		return pthread_barrier_destroy(&barrier);
	default:
		break;
	}
	if (o->what <= OP_MUTEX_DESTROY)
		return on_mutex(o, h, &t);
	if (o->what <= OP_RW_DESTROY)
		return on_rwlock(o, h, &t);
	if (o->what <= OP_SPIN_DESTROY)
		return on_spin(o, h);
	if (o->what <= OP_SEM_DESTROY)
		return on_semaphore(o, &t);
	if (o->what <= OP_COND_DESTROY)
		return on_condition(o, h, &t);
	if (o->what <= OP_FUTEX_WAKE_OP)
		return on_futex(o, &t);
	if (o->what <= OP_NAMED_UNLINK)
		return call_named(o, &h->named);
	if (o->what <= OP_HEAP_GROW)
		return on_heap(o);
	if (o->what <= OP_CHANNEL_COUNT)
		return call_channel(o);
	if (o->what <= OP_NUMBER_CLOSE)
		return call_descriptor(o);
	if (o->what <= OP_FLOCK_UNLOCK)
		return call_flock(o, number / MOST_OPS);
	if (o->what <= OP_STREAM_UNLOCK)
		return on_stream(o, h);
	if (o->what <= OP_SIGNAL_PENDING)
		return call_signal(o);
	if (o->what <= OP_CANCEL_TEST)
		return call_sent(o, program.nthreads);
	return end_if(o);
}

static QUIET void on_signal(int sig)
{
	(void)sig;
	fetch_add(&var[1], 1);
}

static QUIET void clean_up(void *unused)
{
	(void)unused;
	fetch_add(&var[1], 1);
}

static QUIET void *thread(void *arg)
{
	unsigned t = (unsigned)(long)arg, row = t == 1 && program.twins ? ++begun : t;
	struct held held;

	memset(&held, 0, sizeof held);
	pthread_cleanup_push(clean_up, NULL);
	for (unsigned i = 0; i < program.n[t]; i++) {
		record.result[row][i] = (uint8_t)(run(&program.ops[t][i], &held, t * MOST_OPS + i) + 1);
		keep_record();
	}
	pthread_cleanup_pop(0);
	return arg;
}

static QUIET void start(const char *file)
{
	call_condition(program.api, OP_COND_INIT, NULL);
	for (int i = 0; i < 2; i++)
		on_mutex(&(struct op){ OP_MUTEX_INIT, (uint8_t)i, 0 }, &(struct held){ .spin = 0 }, NULL);
	on_rwlock(&(struct op){ OP_RW_INIT, 0, 0 }, &(struct held){ .spin = 0 }, NULL);
	pthread_spin_init(&spin, 0);
	sem_init(&sem, 0, program.sem);
	pthread_barrier_init(&barrier, NULL, 2);
	channels_start(&program);
	sent_start(&program, on_signal);
	files_start(&program, file);
	descriptors_start(&program);
	record_begin();
	keep_record();
}

QUIET int main(int argc, char **argv)
{
	volatile int on_stack = 0;

	if (argc < 3 || strlen(argv[1]) != 2 * sizeof program)
		return 2;
	for (size_t i = 0; i < sizeof program; i++) {
		char digits[3] = { argv[1][2 * i], argv[1][2 * i + 1], 0 };

		((uint8_t *)&program)[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	memory[MEMORY_STATIC] = &plain;
	memory[MEMORY_TLS] = &local;
	memory[MEMORY_STACK] = (int *)&on_stack;
	if (records_map(argv[2]) < 0)
		return 2;
	start(argv[2]);
	thread(NULL);
	finish();
	return 0;
}
