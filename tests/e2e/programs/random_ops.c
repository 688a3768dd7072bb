/* SPDX-License-Identifier: MIT
 *
 * A program drawn from a seed: random_ops SEED FEATURES. A few threads do a few random operations each on a few shared
 * objects. Searches are compared on it: every reduction must find the classes that plain depth-first search finds.
 * FEATURES is a string of letters: p plain accesses, a atomics, c compare-exchange, m mutex, t trylock and timedlock,
 * r rwlock, s semaphore, w condition variable, b barrier, o once, x exit or crash on a value, d detached threads,
 * f waits and wakes of a futex, q with timeouts and requeues, l a lock made of one, k signals and masks, z cancellation.
 */
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { VARS = 2, MOST_THREADS = 3, MOST_OPS = 3 };

struct op {
	char what;
	int var, value;
};

static int plain[VARS];
static atomic_int shared[VARS], futexes[VARS], lock;
static pthread_mutex_t mutex[VARS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t sem;
static int flag;
static struct op ops[MOST_THREADS][MOST_OPS];
static int nthreads, nops[MOST_THREADS];
static pthread_t id[MOST_THREADS];

/* Only what the operations touch is an event; what decides about them is not. */
#define QUIET	__attribute__((no_sanitize("thread"), noinline))
#define VISIBLE __attribute__((noinline))

static VISIBLE int get(const int *p)
{
	return *p;
}

static VISIBLE void set(int *p, int v)
{
	*p = v;
}

static VISIBLE void add(int *p, int v)
{
	*p += v;
}

static VISIBLE int load(atomic_int *p)
{
	return atomic_load(p);
}

static VISIBLE void store(atomic_int *p, int v)
{
	atomic_store(p, v);
}

static VISIBLE void fetch_add(atomic_int *p, int v)
{
	atomic_fetch_add(p, v);
}

static VISIBLE int compare_exchange(atomic_int *p, int *expected, int v)
{
	return atomic_compare_exchange_strong(p, expected, v);
}

static QUIET long futex(atomic_int *word, int op, int value, void *more, atomic_int *other)
{
	return syscall(SYS_futex, word, op, value, more, other, 0);
}

static VISIBLE int exchange(atomic_int *p, int v)
{
	return atomic_exchange(p, v);
}

/* Waits, wakes and writes in any order, so wake-ups get lost. */
static QUIET void futex_operation(const struct op *o)
{
	atomic_int *word = &futexes[o->var];
	static const struct timespec second = { 1, 0 };

	switch (o->what == 'q' ? 4 + o->value % 4 : o->value % 4) {
	case 0:
		store(word, 1);
		break;
	case 1:
	case 4:
		if (futex(word, FUTEX_WAIT, 0, NULL, NULL))
			add(&plain[0], 1);
		break;
	case 2:
		if (futex(word, FUTEX_WAKE, 1, NULL, NULL))
			add(&plain[0], 1);
		break;
	case 3:
		futex(word, FUTEX_WAKE, INT_MAX, NULL, NULL);
		break;
	case 5:
		if (futex(word, FUTEX_WAIT, 0, (void *)&second, NULL))
			add(&plain[1], errno == ETIMEDOUT ? 2 : 1);
		break;
	case 6:
		futex(word, FUTEX_CMP_REQUEUE, o->value > 3, (void *)1L, &futexes[1 - o->var]);
		break;
	case 7:
		futex(&futexes[1 - o->var], FUTEX_WAKE, 1, NULL, NULL);
		break;
	}
}

/* The lock of Drepper, "Futexes are tricky": 2 says that somebody may wait. */
static QUIET void futex_lock(const struct op *o)
{
	int e = 0;

	if (!compare_exchange(&lock, &e, 1))
		while (exchange(&lock, 2))
			futex(&lock, FUTEX_WAIT, 2, NULL, NULL);
	add(&plain[o->var], 1);
	if (exchange(&lock, 0) == 2)
		futex(&lock, FUTEX_WAKE, 1, NULL, NULL);
}

static void handler(int sig)
{
	add(&plain[sig == SIGUSR2], 1);
}

/* To a thread, to the process; blocked, waited for, taken later. */
static QUIET void signal_operation(const struct op *o)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, o->var ? SIGUSR2 : SIGUSR1);
	switch (o->value) {
	case 0:
	case 1:
		pthread_kill(id[o->value % nthreads], o->var ? SIGUSR2 : SIGUSR1);
		break;
	case 2:
		kill(getpid(), o->var ? SIGUSR2 : SIGUSR1);
		break;
	case 3:
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		break;
	case 4:
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		break;
	case 5:
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		if (!sigwait(&set, &sig))
			add(&plain[0], 2);
		break;
	case 6:
		sigpending(&set);
		add(&plain[1], sigismember(&set, SIGUSR1) + 1);
		break;
	}
}

static void add_late(void *arg)
{
	add(arg, 1);
}

static QUIET void cancel_operation(const struct op *o)
{
	switch (o->value) {
	case 0:
	case 1:
	case 2:
		pthread_cancel(id[o->value % nthreads]);
		break;
	case 3:
		pthread_testcancel();
		break;
	case 4:
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		sem_wait(&sem);
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
		break;
	default:
		pthread_cleanup_push(add_late, &plain[o->var]);
		sem_wait(&sem);
		pthread_cleanup_pop(1);
		break;
	}
}

static unsigned long state;

static int draw(int n)
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (int)((state >> 33) % (unsigned long)n);
}

static void init_once(void)
{
	add(&plain[0], 1);
}

static void wait_a_little(struct timespec *t)
{
	clock_gettime(CLOCK_REALTIME, t);
	t->tv_sec++;
}

static QUIET void run(const struct op *o)
{
	struct timespec t;
	int e;

	switch (o->what) {
	case 'p':
		if (o->value & 1)
			set(&plain[o->var], o->value);
		else if (get(&plain[o->var]) > 4)
			set(&plain[1 - o->var], 0);
		break;
	case 'a':
		if (o->value % 3 == 0)
			store(&shared[o->var], o->value);
		else if (o->value % 3 == 1)
			fetch_add(&shared[o->var], 1);
		else
			set(&plain[o->var], load(&shared[o->var]));
		break;
	case 'c':
		e = o->value & 1;
		if (!compare_exchange(&shared[o->var], &e, o->value & 3))
			fetch_add(&shared[1 - o->var], e);
		break;
	case 'm':
		pthread_mutex_lock(&mutex[o->var]);
		add(&plain[o->var], 1);
		if (o->value & 1) {	/* may deadlock with the other order */
			pthread_mutex_lock(&mutex[1 - o->var]);
			pthread_mutex_unlock(&mutex[1 - o->var]);
		}
		pthread_mutex_unlock(&mutex[o->var]);
		break;
	case 't':
		wait_a_little(&t);
		if (o->value & 1 ? pthread_mutex_trylock(&mutex[o->var]) : pthread_mutex_timedlock(&mutex[o->var], &t)) {
			add(&plain[1 - o->var], 1);
		} else {
			add(&plain[o->var], 1);
			pthread_mutex_unlock(&mutex[o->var]);
		}
		break;
	case 'r':
		if (o->value & 1)
			pthread_rwlock_wrlock(&rwlock);
		else
			pthread_rwlock_rdlock(&rwlock);
		if (o->value & 1)
			add(&plain[0], 1);
		else
			get(&plain[0]);
		pthread_rwlock_unlock(&rwlock);
		break;
	case 's':
		if (o->value % 3 == 0)
			sem_post(&sem);
		else if (o->value % 3 == 1)
			sem_wait(&sem);
		else
			sem_trywait(&sem);
		break;
	case 'w':
		pthread_mutex_lock(&mutex[0]);
		if (o->value % 3 == 0) {
			while (!get(&flag))
				pthread_cond_wait(&cond, &mutex[0]);
			add(&flag, -1);
		} else {
			add(&flag, 1);
			if (o->value % 3 == 1)
				pthread_cond_signal(&cond);
			else
				pthread_cond_broadcast(&cond);
		}
		pthread_mutex_unlock(&mutex[0]);
		break;
	case 'b':
		pthread_barrier_wait(&barrier);
		break;
	case 'f':
	case 'q':
		futex_operation(o);
		break;
	case 'l':
		futex_lock(o);
		break;
	case 'k':
		signal_operation(o);
		break;
	case 'z':
		cancel_operation(o);
		break;
	case 'o':
		pthread_once(&once, init_once);
		break;
	case 'x':
		if (load(&shared[o->var]) == 1)
			exit(3);
		if (get(&plain[o->var]) == 2)
			*(volatile int *)0 = 1;
		break;
	}
}

static QUIET void *thread(void *arg)
{
	int t = (int)(long)arg;

	for (int i = 0; i < nops[t]; i++)
		run(&ops[t][i]);
	return arg;
}

QUIET int main(int argc, char **argv)
{
	pthread_attr_t attr;
	int detached;

	if (argc < 3)
		return 2;
	detached = strchr(argv[2], 'd') != NULL;
	state = strtoul(argv[1], 0, 10) * 7919 + 13;
	nthreads = 2 + draw(MOST_THREADS - 1);
	sem_init(&sem, 0, (unsigned)draw(2));
	for (int t = 0; t < nthreads; t++) {
		nops[t] = 1 + draw(nthreads == 2 ? MOST_OPS : 2);
		for (int i = 0; i < nops[t]; i++)
			ops[t][i] = (struct op){ argv[2][draw((int)strlen(argv[2]))], draw(VARS), draw(7) };
	}
	pthread_barrier_init(&barrier, 0, 2);
	if (strchr(argv[2], 'k')) {
		signal(SIGUSR1, handler);
		signal(SIGUSR2, handler);
	}
	pthread_attr_init(&attr);
	if (detached)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (long t = 0; t < nthreads; t++)
		pthread_create(&id[t], &attr, thread, (void *)t);
	if (detached) {
		run(&(struct op){ 'a', 0, 2 });
		return 0;
	}
	for (int t = 0; t < nthreads; t++)
		pthread_join(id[t], 0);
	return 0;
}
