/* SPDX-License-Identifier: MIT
 *
 * Read-write locks, conditions, semaphores, barriers, spin locks, C11 objects.
 */
#include "same.h"

static pthread_rwlock_t l;
static pthread_cond_t c;
static pthread_mutex_t m, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_barrier_t b;
static pthread_spinlock_t spin;
static sem_t s;

static void *try_all(void *unused)
{
	int r = pthread_rwlock_tryrdlock(&l);

	printf("tryrdlock %d\n", r);
	if (!r)
		R(pthread_rwlock_unlock(&l));
	R(pthread_rwlock_trywrlock(&l));
	R(pthread_rwlock_timedwrlock(&l, &past));
	R(pthread_rwlock_timedwrlock(&l, &too_large));
	R(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &past));
	R(pthread_rwlock_clockwrlock(&l, CLOCK_PROCESS_CPUTIME_ID, &past));
	return unused;
}

static void *try_to_read(void *unused)
{
	R(pthread_rwlock_timedrdlock(&l, &past));
	R(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &past));
	return unused;
}

static void rwlocks(int kind)
{
	pthread_rwlockattr_t a;

	pthread_rwlockattr_init(&a);
	R(pthread_rwlockattr_setkind_np(&a, kind));
	R(pthread_rwlock_init(&l, &a));
	R(pthread_rwlock_wrlock(&l));
	R(pthread_rwlock_wrlock(&l));
	R(pthread_rwlock_rdlock(&l));
	R(pthread_rwlock_tryrdlock(&l));
	R(pthread_rwlock_trywrlock(&l));
	R(pthread_rwlock_timedrdlock(&l, &past));
	R(pthread_rwlock_timedwrlock(&l, &past));
	R(pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &past));
	elsewhere(try_all, NULL);
	elsewhere(try_to_read, NULL);
	R(pthread_rwlock_unlock(&l));
	R(pthread_rwlock_rdlock(&l));
	R(pthread_rwlock_rdlock(&l));
	R(pthread_rwlock_trywrlock(&l));
	R(pthread_rwlock_timedwrlock(&l, &past));
	R(pthread_rwlock_timedrdlock(&l, &too_small));
	elsewhere(try_all, NULL);
	R(pthread_rwlock_unlock(&l));
	R(pthread_rwlock_unlock(&l));
	R(pthread_rwlock_destroy(&l));
	R(pthread_rwlockattr_setkind_np(&a, 17));
}

static void conditions(void)
{
	pthread_condattr_t a;

	pthread_mutex_init(&m, NULL);
	pthread_condattr_init(&a);
	R(pthread_condattr_setclock(&a, CLOCK_MONOTONIC));
	R(pthread_condattr_setclock(&a, CLOCK_PROCESS_CPUTIME_ID));
	R(pthread_cond_init(&c, &a));
	R(pthread_cond_signal(&c));
	R(pthread_cond_broadcast(&c));
	R(pthread_cond_wait(&c, &checked));
	R(pthread_cond_timedwait(&c, &checked, &past));
	R(pthread_mutex_lock(&m));
	R(pthread_cond_timedwait(&c, &m, &past));
	R(pthread_cond_timedwait(&c, &m, &too_small));
	R(pthread_cond_timedwait(&c, &m, &too_large));
	R(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past));
	R(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &past));
	R(pthread_mutex_unlock(&m));
	R(pthread_cond_destroy(&c));
}

static void semaphores(void)
{
	int v;

	E(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1));
	E(sem_init(&s, 0, SEM_VALUE_MAX));
	E(sem_post(&s));
	E(sem_getvalue(&s, &v));
	V(v);
	E(sem_init(&s, 0, 1));
	E(sem_trywait(&s));
	E(sem_trywait(&s));
	E(sem_timedwait(&s, &past));
	E(sem_timedwait(&s, &too_small));
	E(sem_timedwait(&s, &too_large));
	E(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
	E(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
	E(sem_post(&s));
	E(sem_timedwait(&s, &too_small));
	E(sem_wait(&s));
	E(sem_destroy(&s));
}

static void *try_spin(void *unused)
{
	R(pthread_spin_trylock(&spin));
	return unused;
}

static void others(void)
{
	R(pthread_barrier_init(&b, NULL, 0));
	R(pthread_barrier_init(&b, NULL, 1));
	V(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
	R(pthread_barrier_destroy(&b));
	R(pthread_spin_init(&spin, 0));
	R(pthread_spin_lock(&spin));
	R(pthread_spin_trylock(&spin));
	elsewhere(try_spin, NULL);
	R(pthread_spin_unlock(&spin));
	R(pthread_spin_destroy(&spin));
}

static void c11(void)
{
	mtx_t mtx;
	cnd_t cnd;

	V(mtx_init(&mtx, 99));
	V(mtx_init(&mtx, mtx_timed));
	V(mtx_lock(&mtx));
	V(mtx_trylock(&mtx));
	V(mtx_timedlock(&mtx, &past));
	V(mtx_timedlock(&mtx, &too_large));
	V(cnd_init(&cnd));
	V(cnd_timedwait(&cnd, &mtx, &past));
	V(cnd_timedwait(&cnd, &mtx, &too_large));
	V(cnd_signal(&cnd));
	V(cnd_broadcast(&cnd));
	V(mtx_unlock(&mtx));
	cnd_destroy(&cnd);
	mtx_destroy(&mtx);
	V(mtx_init(&mtx, mtx_plain | mtx_recursive));
	V(mtx_lock(&mtx));
	V(mtx_trylock(&mtx));
	V(mtx_unlock(&mtx));
	V(mtx_unlock(&mtx));
	V(mtx_unlock(&mtx));
	mtx_destroy(&mtx);
}

void calls(void)
{
	rwlocks(PTHREAD_RWLOCK_PREFER_READER_NP);
	rwlocks(PTHREAD_RWLOCK_PREFER_WRITER_NP);
	rwlocks(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	conditions();
	semaphores();
	others();
	c11();
}
