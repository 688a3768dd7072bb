/* SPDX-License-Identifier: MIT
 *
 * One access at an address where nothing is, or a call of the thread library for an object there, by the main
 * thread before there are others, by a thread, or by the main thread when the others have ended.
 *
 *	wild OPERATION before|among|after
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct {
	long long a, b;
} pair;

static char *nowhere = (char *)0xdead0000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, operation;
static volatile long long sink;
static pair two;
static const struct timespec later = { 1800000000, 0 };
static int value;

#define AT(type) (*(type *)nowhere)
#define AT_OBJECT ((void *)nowhere)
#define NO_THREAD ((pthread_t)nowhere)
#define ATOMIC(type) ((_Atomic type *)nowhere)

#define SIZES(k, type)                                                                             \
	case k + 0: sink = *(volatile type *)nowhere; break;                                       \
	case k + 1: *(volatile type *)nowhere = 1; break;                                          \
	case k + 2: sink = atomic_load(ATOMIC(type)); break;                                       \
	case k + 3: atomic_store(ATOMIC(type), 1); break;                                          \
	case k + 4: sink = atomic_fetch_add(ATOMIC(type), 1); break;                               \
	case k + 5: sink = atomic_exchange(ATOMIC(type), 1); break;                                \
	case k + 6: {                                                                              \
		type expected = 0;                                                                 \
		sink = atomic_compare_exchange_strong(ATOMIC(type), &expected, 1);                 \
		break;                                                                             \
	}                                                                                          \
	case k + 7: sink = atomic_fetch_or(ATOMIC(type), 1); break;

__attribute__((noinline)) static void access_nowhere(void)
{
	switch (operation) {
	SIZES(0, char) /* one byte */
	SIZES(8, short) /* two */
	SIZES(16, int) /* four */
	SIZES(24, long long) /* eight */
	case 32: two = AT(pair); break;
	case 33: AT(pair) = two; break;
	case 34: memcpy(nowhere, &two, (size_t)operation); break;
	case 35: memset(nowhere, operation, 100); break;
	case 36: sink = (long long)strlen(nowhere); break;
	case 37: pthread_mutex_lock((pthread_mutex_t *)nowhere); break;
	case 38: sink = __sync_lock_test_and_set((int *)nowhere, 1); break;
	case 39: sink = __sync_bool_compare_and_swap((long *)nowhere, 0, 1); break;
	case 40: sem_wait(AT_OBJECT); break;
	case 41: sem_trywait(AT_OBJECT); break;
	case 42: sem_timedwait(AT_OBJECT, &later); break;
	case 43: sem_getvalue(AT_OBJECT, &value); break;
	case 44: sem_post(AT_OBJECT); break;
	case 45: sem_init(AT_OBJECT, 0, 1); break;
	case 46: sem_destroy(AT_OBJECT); break;
	case 47: pthread_spin_init(AT_OBJECT, 0); break;
	case 48: pthread_spin_lock(AT_OBJECT); break;
	case 49: pthread_spin_trylock(AT_OBJECT); break;
	case 50: pthread_spin_unlock(AT_OBJECT); break;
	case 51: pthread_spin_destroy(AT_OBJECT); break;
	case 52: pthread_once(AT_OBJECT, NULL); break;
	case 53: pthread_mutex_init(AT_OBJECT, NULL); break;
	case 54: pthread_mutex_trylock(AT_OBJECT); break;
	case 55: pthread_mutex_timedlock(AT_OBJECT, &later); break;
	case 56: pthread_mutex_unlock(AT_OBJECT); break;
	case 57: pthread_mutex_destroy(AT_OBJECT); break;
	case 58: pthread_rwlock_init(AT_OBJECT, NULL); break;
	case 59: pthread_rwlock_rdlock(AT_OBJECT); break;
	case 60: pthread_rwlock_tryrdlock(AT_OBJECT); break;
	case 61: pthread_rwlock_wrlock(AT_OBJECT); break;
	case 62: pthread_rwlock_trywrlock(AT_OBJECT); break;
	case 63: pthread_rwlock_timedwrlock(AT_OBJECT, &later); break;
	case 64: pthread_rwlock_unlock(AT_OBJECT); break;
	case 65: pthread_cond_init(AT_OBJECT, NULL); break;
	case 66: pthread_cond_wait(AT_OBJECT, AT_OBJECT); break;
	case 67: pthread_cond_timedwait(AT_OBJECT, AT_OBJECT, &later); break;
	case 68: pthread_cond_signal(AT_OBJECT); break;
	case 69: pthread_cond_broadcast(AT_OBJECT); break;
	case 70: pthread_cond_destroy(AT_OBJECT); break;
	case 71: pthread_barrier_init(AT_OBJECT, NULL, 1); break;
	case 72: pthread_barrier_wait(AT_OBJECT); break;
	case 73: pthread_barrier_destroy(AT_OBJECT); break;
	case 74: syscall(SYS_futex, AT_OBJECT, 0, 0, NULL, NULL, 0); break;
	case 75: pthread_join(NO_THREAD, NULL); break;
	case 76: pthread_kill(NO_THREAD, 0); break;
	case 77: pthread_detach(NO_THREAD); break;
	case 78: pthread_cancel(NO_THREAD); break;
	}
	__asm__ volatile(""); /* no call above is a jump */
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	if (arg)
		access_nowhere();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argc;
	operation = atoi(argv[1]);
	if (argv[2][0] == 'b')
		access_nowhere();
	pthread_create(&a, NULL, work, argv[2][1] == 'm' ? argv : NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argv[2][1] == 'f')
		access_nowhere();
	return 0;
}
