/* SPDX-License-Identifier: MIT
 *
 * pthread_mutex_*, all types. A timed lock succeeds when it is scheduled while the mutex is free,
 * and times out when it is scheduled while the mutex is held: this gives every behaviour that time
 * could cause, without time. Locking again a mutex that one holds (recursive, error checking) and a
 * failed unlock are visible to nobody else and are not steps.
 */
#include "interpose.h"

#include <errno.h>

enum { MUTEX_NORMAL = 0, MUTEX_RECURSIVE = 1, MUTEX_ERRORCHECK = 2 };

static struct mutex_state *state_of(pthread_mutex_t *m)
{
	return (struct mutex_state *)m;
}

static bool mine(const struct mutex_state *m)
{
	return m->locked && m->owner == rt->cur->id + 1;
}

static void take(struct mutex_state *m)
{
	m->locked = 1;
	m->owner = rt->cur->id + 1;
	m->count = 1;
}

/* 0, or the error of a lock that would not even wait; -1: it has to be acquired. */
static int without_waiting(struct mutex_state *m, bool try)
{
	int kind = m->kind & 3;

	if (!mine(m))
		return -1;
	if (kind == MUTEX_RECURSIVE) {
		m->count++;
		return 0;
	}
	if (kind == MUTEX_ERRORCHECK)
		return try ? EBUSY : EDEADLK;
	return -1;
}

static int lock(struct mutex_state *m, bool attempt, int failure)
{
	int r = without_waiting(m, attempt && failure == EBUSY);

	if (r >= 0)
		return r;
	if (!(alone() && !m->locked)) {
		if (alone() && attempt)
			return failure;
		if (object_step(LP_EV_LOCK, m, WAIT_MUTEX, attempt)->kind == LP_EV_TRYLOCK_FAIL)
			return failure;
	}
	take(m);
	return 0;
}

int i_pthread_mutex_lock(pthread_mutex_t *m);
int i_pthread_mutex_lock(pthread_mutex_t *m)
{
	if (!active())
		return real_pthread_mutex_lock(m);
	return lock(state_of(m), false, 0);
}

int i_pthread_mutex_trylock(pthread_mutex_t *m);
int i_pthread_mutex_trylock(pthread_mutex_t *m)
{
	if (!active())
		return real_pthread_mutex_trylock(m);
	return lock(state_of(m), true, EBUSY);
}

int i_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until);
int i_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	int result;

	if (!active())
		return real_pthread_mutex_timedlock(m, until);
	wait_until(until);
	result = lock(state_of(m), true, ETIMEDOUT);
	wait_over(until, result == ETIMEDOUT);
	return result;
}

int i_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until);
int i_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	(void)clock;
	return i_pthread_mutex_timedlock(m, until);
}

int i_pthread_mutex_unlock(pthread_mutex_t *m);
int i_pthread_mutex_unlock(pthread_mutex_t *m)
{
	struct mutex_state *s = state_of(m);

	if (!active())
		return real_pthread_mutex_unlock(m);
	if ((s->kind & 3) != MUTEX_NORMAL && !mine(s) && (s->kind & 3) != 3)
		return EPERM;
	if (mine(s) && (s->kind & 3) == MUTEX_RECURSIVE && s->count > 1) {
		s->count--;
		return 0;
	}
	if (!alone())
		object_step(LP_EV_UNLOCK, m, WAIT_NOT, false);
	s->locked = 0;
	s->owner = 0;
	s->count = 0;
	return 0;
}

int i_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
int i_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	if (active())
		object_init_step(m);
	return real_pthread_mutex_init(m, attr);
}

int i_pthread_mutex_destroy(pthread_mutex_t *m);
int i_pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (active()) {
		object_init_step(m);
		if (state_of(m)->locked)
			return EBUSY;
	}
	return real_pthread_mutex_destroy(m);
}
