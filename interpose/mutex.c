/* SPDX-License-Identifier: MIT
 *
 * pthread_mutex_*, all types. A timed lock succeeds when it is scheduled while the mutex is free,
 * and times out when it is scheduled while the mutex is held: this gives every behaviour that time
 * could cause, without time. Locking again a mutex that one holds (recursive, error checking) and a
 * failed unlock are visible to nobody else and are not steps.
 *
 * What libc answers with an error code is answered so. What it does not notice and POSIX leaves
 * undefined is a misuse: to unlock what another thread holds or nobody does, to use what was
 * destroyed, to destroy what another thread holds or waits for.
 */
#include "../runtime/unseen.h"
#include "clock.h"
#include "mutex.h"

#include <errno.h>
#include <linux/futex.h>

#define LOCK_PI2 13 /* FUTEX_LOCK_PI2, which older headers do not have */

static struct mutex_state *state_of(pthread_mutex_t *m)
{
	return (struct mutex_state *)m;
}

/* What a constructor has locked, when there was only main. */
static bool of_main_before(const struct mutex_state *m)
{
	return rt->cur->id == 0 && m->owner > MAX_FIBERS && m->owner == (int32_t)rt->target_tid;
}

bool mutex_mine(const struct mutex_state *m)
{
	return mutex_locked(m) && (m->owner == rt->cur->id + 1 || of_main_before(m));
}

static void take(struct mutex_state *m)
{
	m->locked |= 1;
	m->owner = rt->cur->id + 1;
	m->count = 1;
	owner_add(m, m->kind & MUTEX_ROBUST);
}

static void check_kind(const struct mutex_state *m)
{
	if (UNLIKELY(m->kind & ~MUTEX_BITS)) {
		if (m->kind == MUTEX_DESTROYED)
			end_misuse(m, "use of a mutex that was destroyed", destroyed_where(m),
				   LP_WAIT_DESTROYED);
		end_misuse(m, "use of a mutex that was never initialized, or was overwritten", NULL,
			   0);
	}
}

/* 0, or the error of a lock that would not even wait; -1: it has to be acquired. */
static int without_waiting(struct mutex_state *m, bool try)
{
	int kind = m->kind & MUTEX_TYPE;

	if (!mutex_mine(m))
		return -1;
	if (kind == MUTEX_RECURSIVE) {
		if (m->count + 1 == 0)
			return EAGAIN;
		m->count++;
		return 0;
	}
	if (kind == MUTEX_ERRORCHECK)
		return try && !(m->kind & (MUTEX_ROBUST | MUTEX_INHERIT)) ? EBUSY : EDEADLK;
	return -1;
}

/* The mutex has been acquired, after the end of its owner maybe. */
int mutex_take(struct mutex_state *m)
{
	check_kind(m);
	take(m);
	return m->kind & MUTEX_ROBUST && m->state == MUTEX_OWNER_DIED ? EOWNERDEAD : 0;
}

static int lock(struct mutex_state *m, bool attempt, int failure)
{
	int r = without_waiting(m, attempt && failure == EBUSY);

	if (r >= 0)
		return r;
	if (m->kind & MUTEX_ROBUST && m->state == MUTEX_LOST && alone())
		return ENOTRECOVERABLE;
	if (!(alone() && !mutex_locked(m))) {
		if (alone() && attempt)
			return failure;
		if (object_step(LP_EV_LOCK, m, WAIT_MUTEX, attempt)->kind == LP_EV_TRYLOCK_FAIL) {
			check_kind(m);
			return m->kind & MUTEX_ROBUST && m->state == MUTEX_LOST ? ENOTRECOVERABLE
										: failure;
		}
	}
	return mutex_take(m);
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

/* libc looks at the time only if it would have to wait. */
static int lock_until(pthread_mutex_t *m, const struct timespec *until)
{
	int result;

	do {
		wait_until(until);
		result = lock(state_of(m), true, ETIMEDOUT);
		if (result == ETIMEDOUT && !valid_time(until))
			result = EINVAL;
	} while (wait_over(until, result == ETIMEDOUT));
	return result;
}

int i_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until);
int i_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	if (!active())
		return real_pthread_mutex_timedlock(m, real_until(CLOCK_REALTIME, until));
	return lock_until(m, until);
}

/* The kernel can wait for priority inheritance by another clock since Linux 5.14; before, libc says EINVAL. */
static bool monotonic_inherits(void)
{
	static uint32_t word;

	return word || sys6(SYS_futex, (long)&word, LOCK_PI2 | FUTEX_PRIVATE_FLAG, 0, 0, 0, 0) != -ENOSYS;
}

int i_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until);
int i_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	if (!active())
		return real_pthread_mutex_clocklock(m, clock, real_until(clock, until));
	if (!clock_to_wait(clock))
		return EINVAL;
	if (state_of(m)->kind & MUTEX_INHERIT && clock != CLOCK_REALTIME && !monotonic_inherits())
		return lock(state_of(m), true, EINVAL);
	return lock_until(m, until);
}

/* Does libc answer with EPERM if it is not one's own? */
static bool owner_checked(const struct mutex_state *m)
{
	int type = m->kind & MUTEX_TYPE;

	return type == MUTEX_RECURSIVE || type == MUTEX_ERRORCHECK ||
	       m->kind & (MUTEX_ROBUST | MUTEX_INHERIT);
}

static __attribute__((noreturn)) void not_mine(const struct mutex_state *m, const char *held,
					       const char *free)
{
	const struct owner *other = owner_other(m);

	if (mutex_locked(m))
		end_misuse(m, held, other ? &other->since : NULL, LP_WAIT_HELD);
	end_misuse(m, free, NULL, 0);
}

int mutex_may_be_released(const struct mutex_state *m, bool waits)
{
	check_kind(m);
	if (mutex_mine(m))
		return 0;
	if (owner_checked(m))
		return EPERM;
	if (waits)
		not_mine(m, "wait for a condition with a mutex that another thread holds",
			 "wait for a condition with a mutex that is not locked");
	not_mine(m, "unlock of a mutex that another thread holds",
		 "unlock of a mutex that is not locked");
}

void mutex_release(struct mutex_state *m)
{
	owner_remove(m);
	m->locked &= ~MUTEX_LOCKED;
	m->owner = 0;
	m->count = 0;
	if (m->kind & MUTEX_ROBUST && m->state == MUTEX_OWNER_DIED)
		m->state = MUTEX_LOST;
}

int i_pthread_mutex_unlock(pthread_mutex_t *m);
int i_pthread_mutex_unlock(pthread_mutex_t *m)
{
	struct mutex_state *s = state_of(m);
	int r;

	if (!active())
		return real_pthread_mutex_unlock(m);
	if (!mutex_mine(s) && s->kind != MUTEX_DESTROYED && owner_checked(s)) {
		owner_denied(m);
		return EPERM;
	}
	if (mutex_mine(s) && (s->kind & MUTEX_TYPE) == MUTEX_RECURSIVE && s->count > 1) {
		s->count--;
		return 0;
	}
	if (!alone())
		object_step(LP_EV_UNLOCK, m, WAIT_NOT, false);
	r = mutex_may_be_released(s, false);
	if (!r) /* nobody has made it anew */
		mutex_release(s);
	return r;
}

/* The thread ends: who waits for its robust mutexes gets them. */
void mutexes_of_ended(void)
{
	const struct owner *o;

	while ((o = owner_robust(rt->cur->id))) {
		struct mutex_state *m = (struct mutex_state *)o->addr;

		if (!alone()) {
			announce(LP_EV_UNLOCK, m, 1, o->since.pc)->flags = LP_SITE_NOVALUE;
			step(rt->cur);
		}
		owners_forget(m);
		m->locked &= ~MUTEX_LOCKED;
		m->owner = 0;
		m->state = m->state == MUTEX_LOST ? MUTEX_LOST : MUTEX_OWNER_DIED;
	}
}

int i_pthread_mutex_consistent(pthread_mutex_t *m);
int i_pthread_mutex_consistent(pthread_mutex_t *m)
{
	struct mutex_state *s = state_of(m);

	if (!active())
		return real_pthread_mutex_consistent(m);
	if (s->kind == MUTEX_DESTROYED || !(s->kind & MUTEX_ROBUST) || !mutex_mine(s) || s->state != MUTEX_OWNER_DIED)
		return EINVAL;
	s->state = MUTEX_CONSISTENT;
	return 0;
}

int i_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
int i_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (active()) {
		object_init_step(m);
		if (attr)
			pthread_mutexattr_getpshared(attr, &shared);
		process_shared(m, shared);
		lock_made_anew(m, "mutex");
	}
	return real_pthread_mutex_init(m, attr);
}

int i_pthread_mutex_destroy(pthread_mutex_t *m);
int i_pthread_mutex_destroy(pthread_mutex_t *m)
{
	struct mutex_state *s = state_of(m);
	const struct owner *own;

	if (!active())
		return real_pthread_mutex_destroy(m);
	object_init_step(m);
	check_kind(s);
	if (cond_wait_uses(m)) {
		if (!alone()) /* to leave the queue of a condition is no step on the mutex */
			unseen("a mutex is destroyed while another thread waits for a condition with it, which fails (EBUSY): "
			       "that the wait ends just before is not explored",
			       NULL);
		return EBUSY;
	}
	if (mutex_mine(s) && !(s->kind & MUTEX_ROBUST)) /* also if others wait for it, which goes on */
		return EBUSY;
	if (mutex_locked(s)) {
		destroy_unwaited(m, "destruction of a mutex that another thread waits for");
		destroy_unheld(m, "destruction of a mutex that another thread holds");
		if (!(s->kind & MUTEX_ROBUST))
			return EBUSY;
		own = owner_own(m);
		end_misuse(m, "destruction of a robust mutex that the thread itself holds",
			   own ? &own->since : NULL, LP_WAIT_HELD);
	}
	if (!alone() && UNLIKELY(owner_denied_meanwhile(m)))
		unseen("a mutex is destroyed while another thread fails to unlock it: that it does so afterwards, which is a "
		       "misuse, is not explored",
		       NULL);
	s->kind = MUTEX_DESTROYED;
	destroyed_here(m);
	return 0;
}

int i_pthread_mutex_setprioceiling(pthread_mutex_t *m, int ceiling, int *old);
int i_pthread_mutex_setprioceiling(pthread_mutex_t *m, int ceiling, int *old)
{
	struct mutex_state *s = state_of(m);
	bool mine;
	int r;

	if (!active())
		return real_pthread_mutex_setprioceiling(m, ceiling, old);
	if (!(s->kind & MUTEX_PROTECT) || ceiling < 1 || ceiling > 99)
		return EINVAL;
	mine = mutex_mine(s);
	if (mine && (s->kind & MUTEX_TYPE) == MUTEX_ERRORCHECK)
		return EDEADLK;
	r = mine ? 0 : lock(s, false, 0);
	if (r && r != EOWNERDEAD)
		return r;
	if (old)
		*old = s->locked >> MUTEX_CEILING & 0x1fff;
	s->locked = (s->locked & MUTEX_LOCKED) | ceiling << MUTEX_CEILING;
	return mine ? 0 : i_pthread_mutex_unlock(m);
}
