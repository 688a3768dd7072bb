/* SPDX-License-Identifier: MIT
 *
 * The real functions behind those that are interposed, looked up once before anything runs.
 */
#ifndef LP_REAL_H
#define LP_REAL_H

#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

struct timeval;

struct real {
	int (*libc_start_main)(int (*)(int, char **, char **), int, char **, void (*)(void),
			       void (*)(void), void (*)(void), void *);
	void *(*dlsym)(void *, const char *);
	int (*dl_iterate_phdr)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	int *(*errno_location)(void);
	int (*fflush)(FILE *);
	void (*call_tls_dtors)(void); /* may be NULL */
	void (*siglongjmp)(sigjmp_buf, int) __attribute__((noreturn));

	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*pthread_attr_init)(pthread_attr_t *);
	int (*pthread_attr_destroy)(pthread_attr_t *);
	int (*pthread_attr_setstacksize)(pthread_attr_t *, size_t);
	int (*pthread_attr_setdetachstate)(pthread_attr_t *, int);
	int (*pthread_attr_getdetachstate)(const pthread_attr_t *, int *);
	int (*pthread_join)(pthread_t, void **);
	int (*pthread_detach)(pthread_t);
	void (*pthread_exit)(void *) __attribute__((noreturn));
	pthread_t (*pthread_self)(void);
	int (*sched_yield)(void);
	int (*pthread_once)(pthread_once_t *, void (*)(void));
	int (*pthread_key_create)(pthread_key_t *, void (*)(void *));
	int (*pthread_key_delete)(pthread_key_t);
	void *(*pthread_getspecific)(pthread_key_t);
	int (*pthread_setspecific)(pthread_key_t, const void *);

	int (*pthread_mutex_init)(pthread_mutex_t *, const pthread_mutexattr_t *);
	int (*pthread_mutex_destroy)(pthread_mutex_t *);
	int (*pthread_mutex_lock)(pthread_mutex_t *);
	int (*pthread_mutex_trylock)(pthread_mutex_t *);
	int (*pthread_mutex_timedlock)(pthread_mutex_t *, const struct timespec *);
	int (*pthread_mutex_unlock)(pthread_mutex_t *);
	int (*pthread_rwlock_init)(pthread_rwlock_t *, const pthread_rwlockattr_t *);
	int (*pthread_rwlock_destroy)(pthread_rwlock_t *);
	int (*pthread_rwlock_rdlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_tryrdlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_timedrdlock)(pthread_rwlock_t *, const struct timespec *);
	int (*pthread_rwlock_wrlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_trywrlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_timedwrlock)(pthread_rwlock_t *, const struct timespec *);
	int (*pthread_rwlock_unlock)(pthread_rwlock_t *);
	int (*pthread_cond_init)(pthread_cond_t *, const pthread_condattr_t *);
	int (*pthread_cond_destroy)(pthread_cond_t *);
	int (*pthread_cond_wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*pthread_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	int (*pthread_cond_signal)(pthread_cond_t *);
	int (*pthread_cond_broadcast)(pthread_cond_t *);
	int (*pthread_spin_init)(pthread_spinlock_t *, int);
	int (*pthread_spin_lock)(pthread_spinlock_t *);
	int (*pthread_spin_trylock)(pthread_spinlock_t *);
	int (*pthread_spin_unlock)(pthread_spinlock_t *);
	int (*pthread_barrier_init)(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
	int (*pthread_barrier_destroy)(pthread_barrier_t *);
	int (*pthread_barrier_wait)(pthread_barrier_t *);
	int (*sem_wait)(sem_t *);
	int (*sem_trywait)(sem_t *);
	int (*sem_timedwait)(sem_t *, const struct timespec *);
	int (*sem_post)(sem_t *);

	void (*exit)(int) __attribute__((noreturn));
	void (*abort)(void) __attribute__((noreturn));
	int (*cxa_atexit)(void (*)(void *), void *, void *);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*clock_gettime)(clockid_t, struct timespec *);
	int (*gettimeofday)(struct timeval *, void *);
	time_t (*time)(time_t *);
	int (*nanosleep)(const struct timespec *, struct timespec *);
	pid_t (*fork)(void);
};

extern struct real real;
void real_init(void);

#define WATCHDOG_SIGNAL 61 /* by which the watchdog interrupts an execution */

#endif
