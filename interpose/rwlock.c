/* SPDX-License-Identifier: MIT
 *
 * pthread_rwlock_*. Readers do not conflict with each other; a waiting writer does not stop new
 * readers, unless the lock prefers writers (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; the kind
 * without NONRECURSIVE is to libc as the default). There, that a writer has come is a step of its
 * own, for from then on readers wait. Timed locks are as in mutex.c.
 */
#include "clock.h"

#include <errno.h>

static struct rwlock_state *state_of(pthread_rwlock_t *l)
{
	return (struct rwlock_state *)l;
}

static void check_destroyed(const struct rwlock_state *l)
{
	if (UNLIKELY(l->destroyed == DESTROYED))
		end_misuse(l, "use of a read-write lock that was destroyed", destroyed_where(l),
			   LP_WAIT_DESTROYED);
}

static int read_lock(struct rwlock_state *l, bool attempt, int failure)
{
	if (l->writer == rt->cur->id + 1)
		return failure == EBUSY ? EBUSY : EDEADLK;
	if (!(alone() && !l->writer)) {
		if (alone() && attempt)
			return failure;
		if (object_step(LP_EV_RDLOCK, l, WAIT_RDLOCK, attempt)->kind == LP_EV_TRYLOCK_FAIL)
			return failure;
	}
	check_destroyed(l);
	l->readers += RWLOCK_READER;
	owner_add(l, false);
	return 0;
}

/* A writer comes to a lock that prefers writers, or leaves it without having got it. */
static void come(struct rwlock_state *l, int how_many)
{
	object_step(LP_EV_ARRIVE, l, WAIT_NOT, false);
	if (how_many > 0 || l->coming)
		l->coming += (uint32_t)how_many;
	rt->cur->arrival = how_many > 0 ? rt->cur->last_event + 1 : 0;
}

static int write_lock(struct rwlock_state *l, bool attempt, int failure)
{
	bool first;

	if (l->writer == rt->cur->id + 1)
		return failure == EBUSY ? EBUSY : EDEADLK;
	first = writers_first(l) && failure != EBUSY && !alone();
	if (first)
		come(l, 1);
	if (!(alone() && !l->writer && !has_readers(l))) {
		if (alone() && attempt)
			return failure;
		if (object_step(LP_EV_LOCK, l, WAIT_WRLOCK, attempt)->kind == LP_EV_TRYLOCK_FAIL) {
			if (first)
				come(l, -1);
			return failure;
		}
	}
	if (first && l->coming) /* none if it was made anew meanwhile */
		l->coming--;
	check_destroyed(l);
	l->writer = rt->cur->id + 1;
	l->readers |= RWLOCK_WRITTEN;
	l->written[0] = l->written[1] = 1;
	owner_add(l, false);
	return 0;
}

/* libc looks at the time in any case. */
static int lock_until(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until,
		      int (*lock)(struct rwlock_state *, bool, int))
{
	int result;

	if (!clock_to_wait(clock) || !valid_time(until))
		return EINVAL;
	do {
		wait_until(until);
		result = lock(state_of(l), true, ETIMEDOUT);
	} while (wait_over(until, result == ETIMEDOUT));
	return result;
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
	if (!active())
		return real_pthread_rwlock_timedrdlock(l, real_until(CLOCK_REALTIME, until));
	return lock_until(l, CLOCK_REALTIME, until, read_lock);
}

int i_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until);
int i_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	if (!active())
		return real_pthread_rwlock_clockrdlock(l, clock, real_until(clock, until));
	return lock_until(l, clock, until, read_lock);
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
	if (!active())
		return real_pthread_rwlock_timedwrlock(l, real_until(CLOCK_REALTIME, until));
	return lock_until(l, CLOCK_REALTIME, until, write_lock);
}

int i_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until);
int i_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	if (!active())
		return real_pthread_rwlock_clockwrlock(l, clock, real_until(clock, until));
	return lock_until(l, clock, until, write_lock);
}

/* Everybody who holds it must be known before somebody else is accused. */
static void check_holder(const struct rwlock_state *l, bool known)
{
	const struct owner *other = owner_other(l);
	unsigned holders = l->writer ? 1 : l->readers / RWLOCK_READER;

	check_destroyed(l);
	if (!l->writer && !has_readers(l))
		end_misuse(l, "unlock of a read-write lock that is not locked", NULL, 0);
	if (!known && other && owner_times(l) == holders)
		end_misuse(l, "unlock of a read-write lock that other threads hold", &other->since,
			   LP_WAIT_HELD);
}

int i_pthread_rwlock_unlock(pthread_rwlock_t *l);
int i_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct rwlock_state *s = state_of(l);

	if (!active())
		return real_pthread_rwlock_unlock(l);
	if (!alone())
		object_step(s->writer ? LP_EV_UNLOCK : LP_EV_RDUNLOCK, l, WAIT_NOT, false);
	check_holder(s, owner_remove(l));
	if (s->writer) {
		s->writer = 0;
		s->readers &= ~RWLOCK_WRITTEN;
		s->written[0] = s->written[1] = 0;
	} else {
		s->readers -= RWLOCK_READER;
	}
	return 0;
}

int i_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr);
int i_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (active()) {
		object_init_step(l);
		if (attr)
			pthread_rwlockattr_getpshared(attr, &shared);
		process_shared(l, shared);
		lock_made_anew(l, "read-write lock");
	}
	return real_pthread_rwlock_init(l, attr);
}

int i_pthread_rwlock_destroy(pthread_rwlock_t *l);
int i_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	struct rwlock_state *s = state_of(l);

	if (!active())
		return real_pthread_rwlock_destroy(l);
	object_init_step(l);
	check_destroyed(s);
	destroy_unwaited(l, "destruction of a read-write lock that another thread waits for");
	if (s->writer || has_readers(s))
		destroy_unheld(l, "destruction of a read-write lock that another thread holds");
	s->destroyed = DESTROYED;
	destroyed_here(l);
	return 0;
}
