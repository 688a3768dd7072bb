/* SPDX-License-Identifier: MIT
 *
 * C11 threads. glibc builds them on the same objects as POSIX threads, but does not call their
 * public functions.
 */
#include "interpose.h"

#include <errno.h>
#include <threads.h>

int i_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg);
int i_pthread_join(pthread_t thread, void **retval);
int i_pthread_detach(pthread_t thread);
void i_pthread_exit(void *retval) __attribute__((noreturn));
pthread_t i_pthread_self(void);
int i_sched_yield(void);
int i_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
int i_pthread_mutex_destroy(pthread_mutex_t *m);
int i_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
int i_pthread_cond_destroy(pthread_cond_t *c);
int i_pthread_mutex_lock(pthread_mutex_t *m);
int i_pthread_mutex_trylock(pthread_mutex_t *m);
int i_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until);
int i_pthread_mutex_unlock(pthread_mutex_t *m);
int i_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int i_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int i_pthread_cond_signal(pthread_cond_t *c);
int i_pthread_cond_broadcast(pthread_cond_t *c);

static int result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	default:
		return thrd_error;
	}
}

/* The int is returned in eax, the lower half of the void *. Only that half is used. */
union start {
	thrd_start_t c11;
	void *(*posix)(void *);
};

int i_thrd_create(thrd_t *thread, thrd_start_t start, void *arg);
int i_thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	union start s = { .c11 = start };

	return result(i_pthread_create(thread, NULL, s.posix, arg));
}

int i_thrd_join(thrd_t thread, int *status);
int i_thrd_join(thrd_t thread, int *status)
{
	void *value = NULL;
	int r = i_pthread_join(thread, &value);

	if (status)
		*status = (int)(intptr_t)value;
	return result(r);
}

int i_thrd_detach(thrd_t thread);
int i_thrd_detach(thrd_t thread)
{
	return result(i_pthread_detach(thread));
}

void i_thrd_exit(int status) __attribute__((noreturn));
void i_thrd_exit(int status)
{
	i_pthread_exit((void *)(intptr_t)status);
}

thrd_t i_thrd_current(void);
thrd_t i_thrd_current(void)
{
	return i_pthread_self();
}

void i_thrd_yield(void);
void i_thrd_yield(void)
{
	i_sched_yield();
}

int i_mtx_init(mtx_t *m, int type);
int i_mtx_init(mtx_t *m, int type)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	/* What is none of the four kinds is to libc a plain one. */
	if (type == (mtx_plain | mtx_recursive) || type == (mtx_timed | mtx_recursive))
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	return result(i_pthread_mutex_init((pthread_mutex_t *)m, &attr));
}

void i_mtx_destroy(mtx_t *m);
void i_mtx_destroy(mtx_t *m)
{
	i_pthread_mutex_destroy((pthread_mutex_t *)m);
}

int i_cnd_init(cnd_t *c);
int i_cnd_init(cnd_t *c)
{
	return result(i_pthread_cond_init((pthread_cond_t *)c, NULL));
}

void i_cnd_destroy(cnd_t *c);
void i_cnd_destroy(cnd_t *c)
{
	i_pthread_cond_destroy((pthread_cond_t *)c);
}

int i_mtx_lock(mtx_t *m);
int i_mtx_lock(mtx_t *m)
{
	return result(i_pthread_mutex_lock((pthread_mutex_t *)m));
}

int i_mtx_trylock(mtx_t *m);
int i_mtx_trylock(mtx_t *m)
{
	return result(i_pthread_mutex_trylock((pthread_mutex_t *)m));
}

int i_mtx_timedlock(mtx_t *m, const struct timespec *until);
int i_mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	return result(i_pthread_mutex_timedlock((pthread_mutex_t *)m, until));
}

int i_mtx_unlock(mtx_t *m);
int i_mtx_unlock(mtx_t *m)
{
	return result(i_pthread_mutex_unlock((pthread_mutex_t *)m));
}

int i_cnd_wait(cnd_t *c, mtx_t *m);
int i_cnd_wait(cnd_t *c, mtx_t *m)
{
	return result(i_pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

int i_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until);
int i_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	return result(i_pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, until));
}

int i_cnd_signal(cnd_t *c);
int i_cnd_signal(cnd_t *c)
{
	return result(i_pthread_cond_signal((pthread_cond_t *)c));
}

int i_cnd_broadcast(cnd_t *c);
int i_cnd_broadcast(cnd_t *c)
{
	return result(i_pthread_cond_broadcast((pthread_cond_t *)c));
}
