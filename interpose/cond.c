/* SPDX-License-Identifier: MIT
 *
 * pthread_cond_*. A wait is three steps: it joins the queue and releases the mutex; it leaves the
 * queue when a signal allows it (a timed wait: at any time); it acquires the mutex again. A signal
 * allows one of the threads that were queued at that moment to go, whichever is scheduled first:
 * POSIX does not say which, so all choices are explored. A condition that is initialized while
 * threads wait on it forgets them: no signal reaches them.
 *
 * Signals on their way are sets of threads, each within those of the later ones. A thread that
 * leaves takes the first that it is in, which leaves most to the others. Once there are as many
 * signals as threads, the wake-up of all is certain, and the condition may be destroyed.
 *
 * With --spurious, a thread may leave without a signal, once an execution.
 */
#include "clock.h"
#include "mutex.h"
#include "sending.h"

#include <errno.h>

static bool queued_on(const struct fiber *f, const pthread_cond_t *c)
{
	return f->waits_at == (uint64_t)c && f->eligible == COND_QUEUED;
}

static uint64_t all_queued(const pthread_cond_t *c)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < rt->nfibers; i++)
		if (queued_on(&rt->fibers[i], c))
			all |= bit(i);
	return all;
}

static unsigned signals_on(const pthread_cond_t *c)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < rt->nsignals; i++)
		n += rt->signals[i].cond == (uint64_t)c;
	return n;
}

static void signal_remove(uint32_t i)
{
	for (rt->nsignals--; i < rt->nsignals; i++)
		rt->signals[i] = rt->signals[i + 1];
}

/* All who wait get this state, and signals are not needed any more. */
static void set_all(const pthread_cond_t *c, uint8_t state)
{
	for (uint64_t all = all_queued(c); all; all &= all - 1)
		rt->fibers[__builtin_ctzll(all)].eligible = state;
	for (uint32_t i = rt->nsignals; i-- > 0;)
		if (rt->signals[i].cond == (uint64_t)c)
			signal_remove(i);
}

static void let_go_if_certain(const pthread_cond_t *c)
{
	if (signals_on(c) >= (unsigned)__builtin_popcountll(all_queued(c)))
		set_all(c, COND_FREE);
}

/* f leaves the queue by a signal. */
static void leave(struct fiber *f, const pthread_cond_t *c)
{
	bool taken = f->eligible == COND_FREE;

	f->eligible = COND_QUEUED;
	for (uint32_t i = 0; i < rt->nsignals && !taken; i++) {
		taken = rt->signals[i].cond == (uint64_t)c && rt->signals[i].who >> f->id & 1;
		if (taken)
			signal_remove(i);
	}
	for (uint32_t i = 0; i < rt->nsignals; i++)
		if (rt->signals[i].cond == (uint64_t)c)
			rt->signals[i].who &= ~bit(f->id);
	let_go_if_certain(c);
}

/* It leaves without one: another thread gets it. */
static void leave_cancelled(struct fiber *f, const pthread_cond_t *c)
{
	f->eligible = COND_QUEUED;
	for (uint32_t i = 0; i < rt->nsignals; i++)
		if (rt->signals[i].cond == (uint64_t)c)
			rt->signals[i].who &= ~bit(f->id);
	let_go_if_certain(c);
}

static void check_destroyed(const pthread_cond_t *c)
{
	if (UNLIKELY(((const struct cond_state *)c)->destroyed == DESTROYED))
		end_misuse(c, "use of a condition variable that was destroyed", destroyed_where(c),
			   LP_WAIT_DESTROYED);
}

/* May the running fiber wake without a signal? */
static bool may_be_spurious(void)
{
	return rt->config.spurious && !rt->cur->spurious;
}

/* The mutex is held again after the wait: as often as before. A recursive one that was held more
 * than once has not been released. */
static int lock_again(pthread_mutex_t *m, uint32_t count, uint64_t pc)
{
	struct mutex_state *s = (struct mutex_state *)m;
	struct pending *p;

	if (count > 1) {
		s->count++;
		return 0;
	}
	p = announce(LP_EV_LOCK, m, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_MUTEX;
	if (step(rt->cur)->kind == LP_EV_TRYLOCK_FAIL)
		return ENOTRECOVERABLE;
	return mutex_take(s);
}

/* Until it is woken, or may go on otherwise: the kind of the event. */
static int wait_for_signal(pthread_cond_t *c, const struct timespec *until, uint64_t pc)
{
	struct fiber *f = rt->cur;
	struct pending *p;
	int kind;

	do {
		wait_until(until);
		p = announce(LP_EV_WAKE, c, 1, pc);
		p->flags = LP_SITE_NOVALUE;
		p->wait = WAIT_COND;
		p->attempt = until || may_be_spurious();
		interruptible(p, BY_CANCEL | BY_RETURN);
		kind = step(f)->kind;
	} while (wait_over(until, until && kind == LP_EV_TIMEOUT));
	return kind;
}

bool cond_wait_uses(const pthread_mutex_t *m)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].cond_mutex == (uint64_t)m && rt->fibers[i].state != FIBER_FINISHED)
			return true;
	return false;
}

/* `until` is NULL if it has no end. */
static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	struct mutex_state *mutex = (struct mutex_state *)m;
	struct fiber *f = rt->cur;
	uint64_t pc = caller();
	struct pending *p;
	uint32_t count;
	int kind, r;

	if (mutex->kind != MUTEX_DESTROYED && !mutex_mine(mutex) &&
	    (r = mutex_may_be_released(mutex, true)))
		return r;
	cancellation_point();
	count = mutex->count;
	p = announce(LP_EV_WAIT, c, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->addr2 = (uint64_t)m;
	step(f);
	check_destroyed(c);
	if ((r = mutex_may_be_released(mutex, true)))
		return r;
	if (count > 1) {
		mutex->count--;
		lock_held(f, (uint64_t)m, f->last_event);
	} else {
		mutex_release(mutex);
	}
	f->eligible = COND_QUEUED;
	f->waits_at = (uint64_t)c;
	f->cond_mutex = (uint64_t)m;

	kind = wait_for_signal(c, until, pc);
	f->waits_at = f->cond_mutex = 0;
	if (kind == LP_EV_WAKE)
		leave(f, c);
	else if (kind == LP_EV_TAKE)
		leave_cancelled(f, c);
	else if (!until)
		f->spurious = 1;
	f->eligible = COND_QUEUED;

	r = lock_again(m, count, pc);
	if (kind == LP_EV_TAKE)
		cancelled();
	return r ? r : kind == LP_EV_TIMEOUT && until ? ETIMEDOUT : 0;
}

int i_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int i_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	if (!active())
		return real_pthread_cond_wait(c, m);
	return wait_on(c, m, NULL);
}

static int wait_on_until(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	return valid_time(until) ? wait_on(c, m, until) : EINVAL;
}

int i_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int i_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	if (in_child()) /* all its clocks are one */
		return real_pthread_cond_clockwait(c, m, CLOCK_MONOTONIC, real_until(CLOCK_MONOTONIC, until));
	if (!active())
		return real_pthread_cond_timedwait(c, m, until);
	return wait_on_until(c, m, until);
}

int i_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
			     const struct timespec *until);
int i_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
			     const struct timespec *until)
{
	if (!active())
		return real_pthread_cond_clockwait(c, m, clock, real_until(clock, until));
	return clock_to_wait(clock) ? wait_on_until(c, m, until) : EINVAL;
}

int i_pthread_cond_signal(pthread_cond_t *c);
int i_pthread_cond_signal(pthread_cond_t *c)
{
	uint64_t queued;

	if (!active())
		return real_pthread_cond_signal(c);
	if (!alone())
		object_step(LP_EV_SIGNAL, c, WAIT_NOT, false);
	check_destroyed(c);
	queued = all_queued(c);
	if (!queued)
		return 0;
	rt->signals[rt->nsignals].cond = (uint64_t)c;
	rt->signals[rt->nsignals++].who = queued;
	let_go_if_certain(c);
	return 0;
}

int i_pthread_cond_broadcast(pthread_cond_t *c);
int i_pthread_cond_broadcast(pthread_cond_t *c)
{
	if (!active())
		return real_pthread_cond_broadcast(c);
	if (!alone())
		object_step(LP_EV_BROADCAST, c, WAIT_NOT, false);
	check_destroyed(c);
	set_all(c, COND_FREE);
	return 0;
}

int i_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
int i_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (!active())
		return real_pthread_cond_init(c, attr);
	object_init_step(c);
	if (attr)
		pthread_condattr_getpshared(attr, &shared);
	process_shared(c, shared);
	set_all(c, COND_LOST);
	zero(c, sizeof *c);
	return 0;
}

int i_pthread_cond_destroy(pthread_cond_t *c);
int i_pthread_cond_destroy(pthread_cond_t *c)
{
	uint64_t queued;

	if (!active())
		return real_pthread_cond_destroy(c);
	object_init_step(c);
	check_destroyed(c);
	queued = all_queued(c);
	if (queued) {
		struct call_place where = waits_where(&rt->fibers[__builtin_ctzll(queued)]);

		end_misuse(c, "destruction of a condition variable that another thread waits for",
			   &where, LP_WAIT_WAITS);
	}
	((struct cond_state *)c)->destroyed = DESTROYED;
	destroyed_here(c);
	return 0;
}
