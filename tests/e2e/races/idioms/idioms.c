/* SPDX-License-Identifier: MIT
 *
 * Two threads that hand over data, by name: IDIOM(name, races?, what the first thread does, the second one).
 */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

struct node {
	int value;
	atomic_int references;
};

int data, got, other, plain_flag, by_builtin; /* not static: compilers would leave out what nobody reads */
volatile int volatile_flag;
struct {
	unsigned a : 4, b : 4;
} bits;
char buffer[64];
static atomic_int flag, word;
static atomic_uint sequence;
static atomic_int half, other_half;
static _Atomic(struct node *) published;
struct node *unsafe, *counted;
static atomic_flag spin = ATOMIC_FLAG_INIT;
_Thread_local int mine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, another = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t spinlock;
static sem_t none, two;
static mtx_t mutex;
int *heap;

static void initialize(void)
{
	data = 9;
}

static struct node *new_node(void)
{
	struct node *n = malloc(sizeof *n);

	n->value = 1;
	return n;
}

static int get_once(void)
{
	struct node *n = atomic_load_explicit(&published, memory_order_acquire);

	if (!n) {
		pthread_mutex_lock(&lock);
		n = atomic_load_explicit(&published, memory_order_relaxed);
		if (!n) {
			n = new_node();
			atomic_store_explicit(&published, n, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	return n->value;
}

static int get_unsafe(void)
{
	if (!unsafe) {
		pthread_mutex_lock(&lock);
		if (!unsafe)
			unsafe = new_node();
		pthread_mutex_unlock(&lock);
	}
	return unsafe->value;
}

static void futex_lock(void)
{
	int zero = 0;

	if (atomic_compare_exchange_strong(&word, &zero, 1))
		return;
	while (atomic_exchange(&word, 2))
		syscall(SYS_futex, &word, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void futex_unlock(void)
{
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void release(memory_order order)
{
	mine += counted->value;
	if (atomic_fetch_sub_explicit(&counted->references, 1, order) == 1) {
		if (order == memory_order_release)
			atomic_thread_fence(memory_order_acquire);
		counted->value = 77;
	}
}

#define LOCKED(l, what)                                                                            \
	pthread_mutex_lock(l);                                                                     \
	what;                                                                                      \
	pthread_mutex_unlock(l)
#define STORE(v, x, order) atomic_store_explicit(&(v), x, memory_order_##order)
#define LOAD(v, order)     atomic_load_explicit(&(v), memory_order_##order)

/* clang-format off */
#define IDIOMS(IDIOM)                                                                                             \
	IDIOM(fences, 0, data = 1; atomic_thread_fence(memory_order_release); STORE(flag, 1, relaxed),            \
	      if (LOAD(flag, relaxed)) { atomic_thread_fence(memory_order_acquire); got = data; })                \
	IDIOM(no_acquire_fence, 1, data = 1; atomic_thread_fence(memory_order_release); STORE(flag, 1, relaxed),  \
	      if (LOAD(flag, relaxed)) got = data)                                                                \
	IDIOM(release_acquire, 0, data = 1; STORE(flag, 1, release), if (LOAD(flag, acquire)) got = data)         \
	IDIOM(relaxed, 1, data = 1; STORE(flag, 1, relaxed), if (LOAD(flag, relaxed)) got = data)                 \
	IDIOM(plain_flag, 1, data = 1; plain_flag = 1, if (plain_flag) got = data)                                \
	IDIOM(volatile_flag, 1, data = 1; volatile_flag = 1, if (volatile_flag) got = data)                       \
	IDIOM(builtin, 0, data = 1; __atomic_store_n(&by_builtin, 1, __ATOMIC_RELEASE),                           \
	      if (__atomic_load_n(&by_builtin, __ATOMIC_ACQUIRE)) got = data)                                     \
	IDIOM(builtin_mixed, 1, __atomic_fetch_add(&by_builtin, 1, __ATOMIC_SEQ_CST), by_builtin = 5)             \
	IDIOM(double_checked, 0, other = get_once(), got = get_once())                                            \
	IDIOM(double_checked_plain, 1, other = get_unsafe(), got = get_unsafe())                                  \
	IDIOM(rcu, 0, atomic_exchange_explicit(&published, new_node(), memory_order_acq_rel),                     \
	      struct node *n = LOAD(published, consume); if (n) got = n->value)                                   \
	IDIOM(mutex_publishes, 0, data = 5; LOCKED(&lock, plain_flag = 1),                                        \
	      int f; LOCKED(&lock, f = plain_flag); if (f) got = data)                                            \
	IDIOM(two_mutexes, 1, LOCKED(&lock, data++), LOCKED(&another, data++))                                    \
	IDIOM(trylock, 0, if (!pthread_mutex_trylock(&lock)) { data++; pthread_mutex_unlock(&lock); },            \
	      if (!pthread_mutex_trylock(&lock)) { data++; pthread_mutex_unlock(&lock); })                        \
	IDIOM(barrier, 0, data = 1; pthread_barrier_wait(&barrier); got = other,                                  \
	      other = 2; pthread_barrier_wait(&barrier); mine += data)                                             \
	IDIOM(behind_barrier, 1, pthread_barrier_wait(&barrier); data = 1,                                        \
	      pthread_barrier_wait(&barrier); got = data)                                                         \
	IDIOM(semaphore, 0, data = 7; sem_post(&none), sem_wait(&none); got = data)                               \
	IDIOM(semaphore_of_two, 1, sem_wait(&two); data++; sem_post(&two), sem_wait(&two); data++; sem_post(&two)) \
	IDIOM(once, 0, pthread_once(&once, initialize); got = data, pthread_once(&once, initialize); other = data) \
	IDIOM(behind_once, 1, pthread_once(&once, initialize); data++, pthread_once(&once, initialize); data++)   \
	IDIOM(condition, 0, data = 3; LOCKED(&lock, plain_flag = 1; pthread_cond_signal(&cond)),                  \
	      LOCKED(&lock, while (!plain_flag) pthread_cond_wait(&cond, &lock)); got = data)                     \
	IDIOM(condition_unlocked, 1, plain_flag = 1; pthread_cond_signal(&cond),                                  \
	      LOCKED(&lock, if (!plain_flag) plain_flag = 2))                                                     \
	IDIOM(atomic_flag, 0, while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire));             \
	      data++; atomic_flag_clear_explicit(&spin, memory_order_release),                                    \
	      while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire));                             \
	      data++; atomic_flag_clear_explicit(&spin, memory_order_release))                                    \
	IDIOM(thread_local, 0, mine++; atomic_fetch_add_explicit(&flag, mine, memory_order_relaxed),              \
	      mine += 2; atomic_fetch_add_explicit(&flag, mine, memory_order_relaxed))                            \
	IDIOM(rwlock, 0, pthread_rwlock_wrlock(&rwlock); data++; pthread_rwlock_unlock(&rwlock),                  \
	      pthread_rwlock_rdlock(&rwlock); got = data; pthread_rwlock_unlock(&rwlock))                         \
	IDIOM(writes_as_reader, 1, pthread_rwlock_rdlock(&rwlock); data++; pthread_rwlock_unlock(&rwlock),        \
	      pthread_rwlock_rdlock(&rwlock); data++; pthread_rwlock_unlock(&rwlock))                             \
	IDIOM(futex, 0, futex_lock(); data++; futex_unlock(), futex_lock(); data++; futex_unlock())               \
	IDIOM(sequence_lock, 0, STORE(sequence, 1, relaxed); atomic_thread_fence(memory_order_release);           \
	      STORE(half, 1, relaxed); STORE(other_half, 1, relaxed); STORE(sequence, 2, release),                \
	      unsigned s = LOAD(sequence, acquire); int h = LOAD(half, relaxed) + LOAD(other_half, relaxed);      \
	      atomic_thread_fence(memory_order_acquire); if (s == LOAD(sequence, relaxed)) got = h)               \
	IDIOM(references, 0, release(memory_order_release), release(memory_order_release))                        \
	IDIOM(references_relaxed, 1, release(memory_order_relaxed), release(memory_order_relaxed))                \
	IDIOM(spin_lock, 0, pthread_spin_lock(&spinlock); data++; pthread_spin_unlock(&spinlock),                 \
	      pthread_spin_lock(&spinlock); data++; pthread_spin_unlock(&spinlock))                               \
	IDIOM(c11_mutex, 0, mtx_lock(&mutex); data++; mtx_unlock(&mutex), mtx_lock(&mutex); data++; mtx_unlock(&mutex)) \
	IDIOM(bit_fields, 1, bits.a = 1, bits.b = 1)                                                              \
	IDIOM(memset, 1, memset(buffer, 1, sizeof buffer), got = buffer[5])                                       \
	IDIOM(heap, 1, heap[2] += 1, heap[2] += 1)                                                                \
	IDIOM(counter, 1, data++, data++)
/* clang-format on */

#define FUNCTIONS(name, races, one, two)                                                           \
	static void *name##_one(void *arg)                                                         \
	{                                                                                          \
		one;                                                                               \
		return arg;                                                                        \
	}                                                                                          \
	static void *name##_two(void *arg)                                                         \
	{                                                                                          \
		two;                                                                               \
		return arg;                                                                        \
	}
IDIOMS(FUNCTIONS)

static const struct idiom {
	const char *name;
	int races;
	void *(*one)(void *), *(*two)(void *);
} idioms[] = {
#define ROW(name, races, one, two) { #name, races, name##_one, name##_two },
	IDIOMS(ROW)
};

/* Without arguments: the names, and whether they race. */
int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_spin_init(&spinlock, 0);
	sem_init(&none, 0, 0);
	sem_init(&two, 0, 2);
	mtx_init(&mutex, mtx_plain);
	heap = calloc(4, sizeof *heap);
	counted = new_node();
	atomic_init(&counted->references, 2);
	for (size_t i = 0; i < sizeof idioms / sizeof *idioms; i++) {
		if (argc < 2) {
			printf("%s %d\n", idioms[i].name, idioms[i].races);
		} else if (!strcmp(argv[1], idioms[i].name)) {
			pthread_create(&a, NULL, idioms[i].one, NULL);
			pthread_create(&b, NULL, idioms[i].two, NULL);
			pthread_join(a, NULL);
			pthread_join(b, NULL);
		}
	}
	return 0;
}
