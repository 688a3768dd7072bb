/* SPDX-License-Identifier: MIT
 *
 * Semaphores. Timed waits are as in mutex.c.
 */
#include "clock.h"
#include "sending.h"

#include <errno.h>
#include <limits.h>

static struct sem_state *state_of(sem_t *s)
{
	return (struct sem_state *)s;
}

static void check_destroyed(const struct sem_state *s)
{
	if (UNLIKELY(s->destroyed == DESTROYED))
		end_misuse(s, "use of a semaphore that was destroyed", destroyed_where(s),
			   LP_WAIT_DESTROYED);
}

static int take(sem_t *sem, bool attempt, int failure)
{
	struct sem_state *s = state_of(sem);
	struct pending *p;
	int kind;

	if (failure != EAGAIN && alone())
		cancellation_point();
	if (!(alone() && s->value)) {
		if (alone() && attempt && s->destroyed != DESTROYED)
			return fail(failure);
		touch(sem);
		p = announce(LP_EV_SEM_WAIT, sem, 1, caller());
		p->flags = LP_SITE_NOVALUE;
		p->wait = WAIT_SEM;
		p->attempt = attempt;
		if (failure != EAGAIN)
			interruptible(p, attempt ? BY_CANCEL | BY_SIGNAL | BY_ANY_SIGNAL
						 : BY_CANCEL | BY_SIGNAL);
		kind = step(rt->cur)->kind;
		if (kind == LP_EV_TAKE)
			return fail(EINTR);
		if (kind == LP_EV_SEM_FAIL)
			return fail(failure);
	}
	check_destroyed(s);
	s->value--;
	return 0;
}

int i_sem_wait(sem_t *s);
int i_sem_wait(sem_t *s)
{
	if (!active())
		return real_sem_wait(s);
	signals_first();
	return take(s, false, 0);
}

int i_sem_trywait(sem_t *s);
int i_sem_trywait(sem_t *s)
{
	if (!active())
		return real_sem_trywait(s);
	return take(s, true, EAGAIN);
}

static int take_until(sem_t *s, const struct timespec *until)
{
	uint32_t handlers;
	int result;

	if (!valid_time(until))
		return fail(EINVAL);
	signals_first();
	handlers = rt->cur->handlers;
	do {
		if (rt->cur->handlers != handlers)
			return fail(EINTR);
		wait_until(until);
		result = take(s, true, ETIMEDOUT);
	} while (wait_over(until, result && *real.errno_location() == ETIMEDOUT));
	return result;
}

int i_sem_timedwait(sem_t *s, const struct timespec *until);
int i_sem_timedwait(sem_t *s, const struct timespec *until)
{
	if (!active())
		return real_sem_timedwait(s, real_until(CLOCK_REALTIME, until));
	return take_until(s, until);
}

int i_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until);
int i_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	if (!active())
		return real_sem_clockwait(s, clock, real_until(clock, until));
	if (!clock_to_wait(clock))
		return fail(EINVAL);
	/* The one function on semaphores in which libc acts on a cancellation only if it has to wait. */
	if (UNLIKELY(rt->sends & SENDS_CANCEL) && !rt->cur->cancel_off && valid_time(until) && !take(s, true, EAGAIN))
		return 0;
	return take_until(s, until);
}

int i_sem_post(sem_t *s);
int i_sem_post(sem_t *s)
{
	struct sem_state *state = state_of(s);

	if (!active())
		return real_sem_post(s);
	if (!alone())
		object_step(LP_EV_SEM_POST, s, WAIT_NOT, false);
	check_destroyed(state);
	if (state->value >= SEM_VALUE_MAX)
		return fail(EOVERFLOW);
	state->value++;
	return 0;
}

int i_sem_getvalue(sem_t *sem, int *value);
int i_sem_getvalue(sem_t *sem, int *value)
{
	struct sem_state *s = state_of(sem);

	if (!active())
		return real_sem_getvalue(sem, value);
	if (!alone()) {
		announce(LP_EV_READ, &s->value, sizeof s->value, caller())->flags = LP_SITE_ATOMIC;
		step(rt->cur)->value[0] = s->value;
	}
	check_destroyed(s);
	*value = (int)s->value;
	return 0;
}

int i_sem_init(sem_t *s, int shared, unsigned value);
int i_sem_init(sem_t *s, int shared, unsigned value)
{
	if (active()) {
		object_init_step(s);
		process_shared(s, shared);
		if (value <= SEM_VALUE_MAX)
			zero(s, sizeof *s);
	}
	return real_sem_init(s, shared, value);
}

int i_sem_destroy(sem_t *s);
int i_sem_destroy(sem_t *s)
{
	if (!active())
		return real_sem_destroy(s);
	object_init_step(s);
	check_destroyed(state_of(s));
	destroy_unwaited(s, "destruction of a semaphore that another thread waits for");
	state_of(s)->destroyed = DESTROYED;
	destroyed_here(s);
	return 0;
}
