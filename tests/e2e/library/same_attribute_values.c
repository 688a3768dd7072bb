/* SPDX-License-Identifier: MIT
 *
 * Attributes: what each holds at first, what it takes, what it refuses; and what a thread says that was made with it.
 */
#include "same.h"

#include <sched.h>
#include <sys/mman.h>

/* Sets each of these values, and some that are none. */
#define PAIR(kind, name, type, ...)                                                                \
	do {                                                                                       \
		const type values_[] = { __VA_ARGS__ };                                            \
		type is_ = values_[0];                                                             \
                                                                                                   \
		R(kind##_get##name(&kind, &is_));                                                  \
		V(is_);                                                                            \
		for (unsigned i_ = 0; i_ < sizeof values_ / sizeof *values_; i_++) {               \
			printf("%ld: ", (long)values_[i_]);                                        \
			R(kind##_set##name(&kind, values_[i_]));                                   \
			R(kind##_get##name(&kind, &is_));                                          \
			V(is_);                                                                    \
		}                                                                                  \
	} while (0)

static pthread_attr_t pthread_attr;
static pthread_mutexattr_t pthread_mutexattr;
static pthread_condattr_t pthread_condattr;
static pthread_rwlockattr_t pthread_rwlockattr;
static pthread_barrierattr_t pthread_barrierattr;

/* The running thread's own: all but addresses. */
static void *own(void *unused)
{
	struct sched_param p = { -1 };
	pthread_attr_t a;
	void *lowest;
	size_t n;
	int i;

	R(pthread_getattr_np(pthread_self(), &a));
	R(pthread_attr_getdetachstate(&a, &i));
	V(i);
	R(pthread_attr_getguardsize(&a, &n));
	V(n);
	R(pthread_attr_getstack(&a, &lowest, &n));
	V(n);
	V((char *)&a >= (char *)lowest && (char *)&a < (char *)lowest + n);
	R(pthread_attr_getschedpolicy(&a, &i));
	V(i);
	R(pthread_attr_getschedparam(&a, &p));
	V(p.sched_priority);
	R(pthread_attr_getinheritsched(&a, &i));
	V(i);
	R(pthread_attr_getscope(&a, &i));
	V(i);
	R(pthread_attr_destroy(&a));
	return unused;
}

static void of_thread(size_t size, size_t guard, void *given)
{
	pthread_t t;
	int made;

	R(pthread_attr_init(&pthread_attr));
	if (given)
		R(pthread_attr_setstack(&pthread_attr, given, size));
	else
		R(pthread_attr_setstacksize(&pthread_attr, size));
	R(pthread_attr_setguardsize(&pthread_attr, guard));
	made = pthread_create(&t, &pthread_attr, own, NULL);
	if (!made)
		pthread_join(t, NULL);
	V(made);
	R(pthread_attr_destroy(&pthread_attr));
}

static void threads(void)
{
	struct sched_param p = { 0 };
	size_t n;
	void *lowest;
	sigset_t set;
	int i;

	R(pthread_attr_init(&pthread_attr));
	PAIR(pthread_attr, detachstate, int, PTHREAD_CREATE_DETACHED, PTHREAD_CREATE_JOINABLE, 2, -1);
	PAIR(pthread_attr, guardsize, size_t, 0, 1, 4096, 1UL << 40);
	PAIR(pthread_attr, scope, int, PTHREAD_SCOPE_SYSTEM, PTHREAD_SCOPE_PROCESS, 7);
	PAIR(pthread_attr, inheritsched, int, PTHREAD_EXPLICIT_SCHED, PTHREAD_INHERIT_SCHED, 7);
	PAIR(pthread_attr, schedpolicy, int, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_OTHER, -1, 77);
	PAIR(pthread_attr, stacksize, size_t, PTHREAD_STACK_MIN, PTHREAD_STACK_MIN - 1, 0, 1UL << 20);
	R(pthread_attr_getschedparam(&pthread_attr, &p));
	V(p.sched_priority);
	for (int policy = SCHED_OTHER; policy <= SCHED_RR; policy++) {
		R(pthread_attr_setschedpolicy(&pthread_attr, policy));
		for (int priority = -1; priority <= 100; priority += priority == 1 ? 98 : 1) {
			p.sched_priority = priority;
			R(pthread_attr_setschedparam(&pthread_attr, &p));
		}
	}
	R(pthread_attr_setstack(&pthread_attr, (void *)0x10000, 100));
	R(pthread_attr_setstack(&pthread_attr, (void *)0x10000, 65536));
	R(pthread_attr_getstack(&pthread_attr, &lowest, &n));
	V(lowest);
	V(n);
	sigemptyset(&set);
	R(pthread_attr_getsigmask_np(&pthread_attr, &set));
	R(pthread_attr_setsigmask_np(&pthread_attr, &set));
	R(pthread_attr_getsigmask_np(&pthread_attr, &set));
	R(pthread_attr_destroy(&pthread_attr));
	i = pthread_getconcurrency();
	V(i);
	R(pthread_setconcurrency(-1));
	R(pthread_setconcurrency(3));
	V(pthread_getconcurrency());
	R(pthread_setconcurrency(i));
}

static void of_objects(void)
{
	pthread_mutex_t m;
	int old = -1;

	R(pthread_mutexattr_init(&pthread_mutexattr));
	PAIR(pthread_mutexattr, type, int, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP, -1, 4,
	     PTHREAD_MUTEX_DEFAULT);
	PAIR(pthread_mutexattr, pshared, int, PTHREAD_PROCESS_SHARED, 2, -1, PTHREAD_PROCESS_PRIVATE);
	PAIR(pthread_mutexattr, robust, int, PTHREAD_MUTEX_ROBUST, 2, -1, PTHREAD_MUTEX_STALLED);
	PAIR(pthread_mutexattr, protocol, int, PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT, 3, -1, PTHREAD_PRIO_NONE);
	PAIR(pthread_mutexattr, prioceiling, int, 1, 99, 0, 100, -1);
	R(pthread_mutex_init(&m, &pthread_mutexattr));
	R(pthread_mutex_getprioceiling(&m, &old));
	R(pthread_mutex_setprioceiling(&m, 3, &old));
	R(pthread_mutex_destroy(&m));
	R(pthread_mutexattr_setprotocol(&pthread_mutexattr, PTHREAD_PRIO_PROTECT));
	R(pthread_mutexattr_setprioceiling(&pthread_mutexattr, 5));
	R(pthread_mutex_init(&m, &pthread_mutexattr));
	R(pthread_mutex_getprioceiling(&m, &old));
	V(old);
	R(pthread_mutex_setprioceiling(&m, 0, &old));
	R(pthread_mutex_setprioceiling(&m, 100, &old));
	R(pthread_mutex_setprioceiling(&m, 7, &old));
	V(old);
	R(pthread_mutex_getprioceiling(&m, &old));
	V(old);
	R(pthread_mutex_destroy(&m));
	R(pthread_mutexattr_setprotocol(&pthread_mutexattr, PTHREAD_PRIO_NONE));
	R(pthread_mutexattr_setrobust(&pthread_mutexattr, PTHREAD_MUTEX_ROBUST));
	R(pthread_mutex_init(&m, &pthread_mutexattr));
	R(pthread_mutex_consistent(&m));
	R(pthread_mutex_destroy(&m));
	R(pthread_mutexattr_destroy(&pthread_mutexattr));

	R(pthread_condattr_init(&pthread_condattr));
	PAIR(pthread_condattr, pshared, int, PTHREAD_PROCESS_SHARED, 2, -1, PTHREAD_PROCESS_PRIVATE);
	PAIR(pthread_condattr, clock, clockid_t, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, 99, -1, CLOCK_REALTIME);
	R(pthread_condattr_destroy(&pthread_condattr));

	R(pthread_rwlockattr_init(&pthread_rwlockattr));
	PAIR(pthread_rwlockattr, pshared, int, PTHREAD_PROCESS_SHARED, 2, -1, PTHREAD_PROCESS_PRIVATE);
	PAIR(pthread_rwlockattr, kind_np, int, PTHREAD_RWLOCK_PREFER_WRITER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, 3, -1,
	     PTHREAD_RWLOCK_PREFER_READER_NP);
	R(pthread_rwlockattr_destroy(&pthread_rwlockattr));

	R(pthread_barrierattr_init(&pthread_barrierattr));
	PAIR(pthread_barrierattr, pshared, int, PTHREAD_PROCESS_SHARED, 2, -1, PTHREAD_PROCESS_PRIVATE);
	R(pthread_barrierattr_destroy(&pthread_barrierattr));
}

void calls(void)
{
	struct sched_param p = { 0 };
	char *given = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	threads();
	of_objects();
	pthread_setschedparam(pthread_self(), SCHED_BATCH, &p);
	of_thread(1 << 20, 4096, NULL);
	of_thread(1 << 20, 0, NULL);
	of_thread(1 << 20, 10000, NULL);
	of_thread(1 << 20, 1 << 20, NULL);
	of_thread(100000, 4096, NULL);
	of_thread(1 << 19, 8192, given);
	of_thread((1 << 19) + 100, 4096, given + 16);
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &p);
}
