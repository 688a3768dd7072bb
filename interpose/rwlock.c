/* SPDX-License-Identifier: MIT
 *
 * pthread_rwlock_*. Readers do not conflict with each other; a waiting writer does not stop new
 * readers. Timed locks are as in mutex.c.
 */
#include "interpose.h"

#include <errno.h>

static struct rwlock_state *state_of(pthread_rwlock_t *l)
{
	return (struct rwlock_state *)l;
}

static int read_lock(struct rwlock_state *l, bool attempt, int failure)
{
	if (l->writer == rt->cur->id + 1)
		return attempt ? failure : EDEADLK;
	if (!(alone() && !l->writer)) {
		if (alone() && attempt)
			return failure;
		if (object_step(LP_EV_RDLOCK, l, WAIT_RDLOCK, attempt)->kind == LP_EV_TRYLOCK_FAIL)
			return failure;
	}
	l->readers += RWLOCK_READER;
	return 0;
}

static int write_lock(struct rwlock_state *l, bool attempt, int failure)
{
	if (l->writer == rt->cur->id + 1)
		return attempt ? failure : EDEADLK;
	if (!(alone() && !l->writer && !has_readers(l))) {
		if (alone() && attempt)
			return failure;
		if (object_step(LP_EV_LOCK, l, WAIT_WRLOCK, attempt)->kind == LP_EV_TRYLOCK_FAIL)
			return failure;
	}
	l->writer = rt->cur->id + 1;
	return 0;
}

int i_pthread_rwlock_rdlock(pthread_rwlock_t *l);
int i_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	if (!active())
		return real_pthread_rwlock_rdlock(l);
	return read_lock(state_of(l), false, 0);
}

int i_pthread_rwlock_tryrdlock(pthread_rwlock_t *l);
int i_pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	if (!active())
		return real_pthread_rwlock_tryrdlock(l);
	return read_lock(state_of(l), true, EBUSY);
}

int i_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until);
int i_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	int result;

	if (!active())
		return real_pthread_rwlock_timedrdlock(l, until);
	wait_until(until);
	result = read_lock(state_of(l), true, ETIMEDOUT);
	wait_over(until, result == ETIMEDOUT);
	return result;
}

int i_pthread_rwlock_wrlock(pthread_rwlock_t *l);
int i_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	if (!active())
		return real_pthread_rwlock_wrlock(l);
	return write_lock(state_of(l), false, 0);
}

int i_pthread_rwlock_trywrlock(pthread_rwlock_t *l);
int i_pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	if (!active())
		return real_pthread_rwlock_trywrlock(l);
	return write_lock(state_of(l), true, EBUSY);
}

int i_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until);
int i_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	int result;

	if (!active())
		return real_pthread_rwlock_timedwrlock(l, until);
	wait_until(until);
	result = write_lock(state_of(l), true, ETIMEDOUT);
	wait_over(until, result == ETIMEDOUT);
	return result;
}

int i_pthread_rwlock_unlock(pthread_rwlock_t *l);
int i_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct rwlock_state *s = state_of(l);

	if (!active())
		return real_pthread_rwlock_unlock(l);
	if (s->writer) {
		if (!alone())
			object_step(LP_EV_UNLOCK, l, WAIT_NOT, false);
		s->writer = 0;
	} else {
		if (!alone())
			object_step(LP_EV_RDUNLOCK, l, WAIT_NOT, false);
		if (has_readers(s))
			s->readers -= RWLOCK_READER;
	}
	return 0;
}

int i_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr);
int i_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	if (active())
		object_init_step(l);
	return real_pthread_rwlock_init(l, attr);
}

int i_pthread_rwlock_destroy(pthread_rwlock_t *l);
int i_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	if (active())
		object_init_step(l);
	return real_pthread_rwlock_destroy(l);
}
