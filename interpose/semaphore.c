/* SPDX-License-Identifier: MIT
 *
 * Semaphores, barriers and spin locks. Timed waits are as in mutex.c.
 */
#include "interpose.h"

#include <errno.h>

static int fail(int error)
{
	*real.errno_location() = error;
	return -1;
}

static int sem_take(sem_t *sem, bool attempt, int failure)
{
	struct sem_state *s = (struct sem_state *)sem;

	if (!(alone() && s->value)) {
		if (alone() && attempt)
			return fail(failure);
		if (object_step(LP_EV_SEM_WAIT, sem, WAIT_SEM, attempt)->kind == LP_EV_SEM_FAIL)
			return fail(failure);
	}
	s->value--;
	return 0;
}

int i_sem_wait(sem_t *s);
int i_sem_wait(sem_t *s)
{
	if (!active())
		return real_sem_wait(s);
	return sem_take(s, false, 0);
}

int i_sem_trywait(sem_t *s);
int i_sem_trywait(sem_t *s)
{
	if (!active())
		return real_sem_trywait(s);
	return sem_take(s, true, EAGAIN);
}

int i_sem_timedwait(sem_t *s, const struct timespec *until);
int i_sem_timedwait(sem_t *s, const struct timespec *until)
{
	int result;

	if (!active())
		return real_sem_timedwait(s, until);
	wait_until(until);
	result = sem_take(s, true, ETIMEDOUT);
	wait_over(until, result != 0);
	return result;
}

int i_sem_post(sem_t *s);
int i_sem_post(sem_t *s)
{
	if (!active())
		return real_sem_post(s);
	if (!alone())
		object_step(LP_EV_SEM_POST, s, WAIT_NOT, false);
	((struct sem_state *)s)->value++;
	return 0;
}

int i_sem_getvalue(sem_t *sem, int *value);
int i_sem_getvalue(sem_t *sem, int *value)
{
	struct sem_state *s = (struct sem_state *)sem;

	if (!active())
		return real_sem_getvalue(sem, value);
	if (!alone()) {
		announce(LP_EV_READ, &s->value, sizeof s->value, caller())->flags = LP_SITE_ATOMIC;
		step(rt->cur)->value[0] = s->value;
	}
	*value = (int)s->value;
	return 0;
}

int i_sem_init(sem_t *s, int shared, unsigned value);
int i_sem_init(sem_t *s, int shared, unsigned value)
{
	if (active())
		object_init_step(s);
	return real_sem_init(s, shared, value);
}

int i_sem_destroy(sem_t *s);
int i_sem_destroy(sem_t *s)
{
	if (active())
		object_init_step(s);
	return real_sem_destroy(s);
}

int i_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count);
int i_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
	struct barrier_state *s = (struct barrier_state *)b;

	if (!active())
		return real_pthread_barrier_init(b, attr, count);
	if (!count)
		return EINVAL;
	object_init_step(b);
	zero(b, sizeof *b);
	s->count = count;
	return 0;
}

int i_pthread_barrier_destroy(pthread_barrier_t *b);
int i_pthread_barrier_destroy(pthread_barrier_t *b)
{
	if (!active())
		return real_pthread_barrier_destroy(b);
	object_init_step(b);
	return 0;
}

int i_pthread_barrier_wait(pthread_barrier_t *b);
int i_pthread_barrier_wait(pthread_barrier_t *b)
{
	struct barrier_state *s = (struct barrier_state *)b;
	struct fiber *f = rt->cur;
	uint64_t pc;
	struct pending *p;

	if (!active())
		return real_pthread_barrier_wait(b);
	pc = caller();
	if (!alone())
		object_step(LP_EV_BARRIER, b, WAIT_NOT, false);
	f->round = s->round;
	if (++s->arrived == s->count) {
		s->arrived = 0;
		s->round++;
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	p = announce(LP_EV_BARRIER_LEAVE, b, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_BARRIER;
	step(f);
	return 0;
}

int i_pthread_spin_init(pthread_spinlock_t *l, int shared);
int i_pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	(void)shared;
	if (active())
		object_init_step(l);
	*l = SPINLOCK_FREE;
	return 0;
}

int i_pthread_spin_destroy(pthread_spinlock_t *l);
int i_pthread_spin_destroy(pthread_spinlock_t *l)
{
	if (active())
		object_init_step(l);
	return 0;
}

static int spin_take(pthread_spinlock_t *l, bool attempt)
{
	if (!(alone() && *l == SPINLOCK_FREE)) {
		if (alone() && attempt)
			return EBUSY;
		if (object_step(LP_EV_LOCK, l, WAIT_SPINLOCK, attempt)->kind == LP_EV_TRYLOCK_FAIL)
			return EBUSY;
	}
	*l = SPINLOCK_TAKEN;
	return 0;
}

int i_pthread_spin_lock(pthread_spinlock_t *l);
int i_pthread_spin_lock(pthread_spinlock_t *l)
{
	if (!active())
		return real_pthread_spin_lock(l);
	return spin_take(l, false);
}

int i_pthread_spin_trylock(pthread_spinlock_t *l);
int i_pthread_spin_trylock(pthread_spinlock_t *l)
{
	if (!active())
		return real_pthread_spin_trylock(l);
	return spin_take(l, true);
}

int i_pthread_spin_unlock(pthread_spinlock_t *l);
int i_pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (!active())
		return real_pthread_spin_unlock(l);
	if (!alone())
		object_step(LP_EV_UNLOCK, l, WAIT_NOT, false);
	*l = SPINLOCK_FREE;
	return 0;
}
