/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "target_calls.h"

#include <errno.h>
#include <threads.h>

#define CLOCK CLOCK_MONOTONIC

static pthread_t threads[MOST_THREADS];
static thrd_t c_threads[MOST_THREADS];
static void *(*c_function)(void *);
static pthread_mutex_t mutex[2];
static mtx_t c_mutex[2];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static cnd_t c_cond;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c_once = ONCE_FLAG_INIT;
extern sem_t sem;

static QUIET int c_start(void *arg)
{
	c_function(arg);
	return 0;
}

QUIET int call_thread(enum api api, unsigned t, void *(*function)(void *), void *arg)
{
	c_function = function;
	return api == API_C11 ? thrd_create(&c_threads[t], c_start, arg)
			      : pthread_create(&threads[t], NULL, function, arg);
}

QUIET pthread_t call_handle(unsigned t)
{
	return threads[t];
}

/* How the thread has ended, where somebody may have said otherwise; else who it was is not asked. */
QUIET int call_join(enum api api, enum what what, unsigned t, const struct timespec *until)
{
	void *value = NULL;
	int r;

	if (api == API_C11)
		return thrd_join(c_threads[t], NULL);
	if (what == OP_JOIN_TRY)
		r = pthread_tryjoin_np(threads[t], &value);
	else if (what == OP_JOIN_TIMED && api == API_CLOCK)
		r = pthread_clockjoin_np(threads[t], &value, CLOCK, until);
	else if (what == OP_JOIN_TIMED)
		r = pthread_timedjoin_np(threads[t], &value, until);
	else
		r = pthread_join(threads[t], until ? &value : NULL);
	return r ? 1 : value == PTHREAD_CANCELED ? JOINED_CANCELLED : value == &threads ? JOINED_LEFT : 0;
}

QUIET void *call_left(void)
{
	return &threads;
}

static QUIET int mutex_init(enum api api, unsigned k, unsigned type)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_NORMAL };
	pthread_mutexattr_t attr;

	if (api == API_C11)
		return mtx_init(&c_mutex[k], mtx_timed | (type == RECURSIVE ? mtx_recursive : 0));
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, types[type]);
	if (type == ROBUST)
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	return pthread_mutex_init(&mutex[k], &attr);
}

QUIET int call_mutex(enum api api, enum what what, unsigned k, unsigned type,
		     const struct timespec *t)
{
	switch (what) {
	case OP_MUTEX_LOCK:
		return api == API_C11 ? mtx_lock(&c_mutex[k]) : pthread_mutex_lock(&mutex[k]);
	case OP_MUTEX_TRY:
		return api == API_C11 ? mtx_trylock(&c_mutex[k]) : pthread_mutex_trylock(&mutex[k]);
	case OP_MUTEX_TIMED:
		return api == API_C11     ? mtx_timedlock(&c_mutex[k], t)
		       : api == API_CLOCK ? pthread_mutex_clocklock(&mutex[k], CLOCK, t)
					  : pthread_mutex_timedlock(&mutex[k], t);
	case OP_MUTEX_UNLOCK:
		return api == API_C11 ? mtx_unlock(&c_mutex[k]) : pthread_mutex_unlock(&mutex[k]);
	case OP_MUTEX_CONSISTENT:
		return api == API_C11 ? EINVAL : pthread_mutex_consistent(&mutex[k]);
	case OP_MUTEX_DESTROY:
		if (api != API_C11)
			return pthread_mutex_destroy(&mutex[k]);
		mtx_destroy(&c_mutex[k]);
		return 0;
	default:
		return mutex_init(api, k, type);
	}
}

QUIET int call_condition(enum api api, enum what what, const struct timespec *t)
{
	switch (what) {
	case OP_COND_WAIT:
		return api == API_C11 ? cnd_wait(&c_cond, &c_mutex[0])
				      : pthread_cond_wait(&cond, &mutex[0]);
	case OP_COND_TIMED:
		return api == API_C11     ? cnd_timedwait(&c_cond, &c_mutex[0], t)
		       : api == API_CLOCK ? pthread_cond_clockwait(&cond, &mutex[0], CLOCK, t)
					  : pthread_cond_timedwait(&cond, &mutex[0], t);
	case OP_COND_SIGNAL:
		return api == API_C11 ? cnd_signal(&c_cond) : pthread_cond_signal(&cond);
	case OP_COND_BROADCAST:
		return api == API_C11 ? cnd_broadcast(&c_cond) : pthread_cond_broadcast(&cond);
	case OP_COND_DESTROY:
		if (api != API_C11)
			return pthread_cond_destroy(&cond);
		cnd_destroy(&c_cond);
		return 0;
	default:
		return api == API_C11 ? cnd_init(&c_cond) : pthread_cond_init(&cond, NULL);
	}
}

QUIET int call_rwlock(enum api api, enum what what, bool writers_first, const struct timespec *t)
{
	pthread_rwlockattr_t attr;

	switch (what) {
	case OP_RW_READ:
		return pthread_rwlock_rdlock(&rwlock);
	case OP_RW_TRY_READ:
		return pthread_rwlock_tryrdlock(&rwlock);
	case OP_RW_TIMED_READ:
		return api == API_CLOCK ? pthread_rwlock_clockrdlock(&rwlock, CLOCK, t)
					: pthread_rwlock_timedrdlock(&rwlock, t);
	case OP_RW_WRITE:
		return pthread_rwlock_wrlock(&rwlock);
	case OP_RW_TRY_WRITE:
		return pthread_rwlock_trywrlock(&rwlock);
	case OP_RW_TIMED_WRITE:
		return api == API_CLOCK ? pthread_rwlock_clockwrlock(&rwlock, CLOCK, t)
					: pthread_rwlock_timedwrlock(&rwlock, t);
	case OP_RW_UNLOCK:
		return pthread_rwlock_unlock(&rwlock);
	case OP_RW_DESTROY:
		return pthread_rwlock_destroy(&rwlock);
	default:
		pthread_rwlockattr_init(&attr);
		if (writers_first)
			pthread_rwlockattr_setkind_np(&attr,
						      PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
		return pthread_rwlock_init(&rwlock, &attr);
	}
}

QUIET int call_semaphore(enum api api, const struct timespec *t)
{
	return api == API_CLOCK ? sem_clockwait(&sem, CLOCK, t) : sem_timedwait(&sem, t);
}

QUIET int call_once_only(enum api api, void (*function)(void))
{
	if (api == API_C11)
		call_once(&c_once, function);
	else
		return pthread_once(&once, function);
	return 0;
}
