/* SPDX-License-Identifier: MIT
 *
 * pthread_cond_*. A wait is three steps: it joins the queue and releases the mutex; it leaves the
 * queue when a signal allows it (a timed wait: at any time); it acquires the mutex again. A signal
 * allows one of the threads that were queued at that moment to go, whichever is scheduled first:
 * POSIX does not say which, so all choices are explored. There are no spurious wake-ups. A
 * condition that is initialized while threads wait on it forgets them: no signal reaches them.
 */
#include "interpose.h"

#include <errno.h>

static bool queued_on(const struct fiber *f, const pthread_cond_t *c)
{
	return (rt->blocked >> f->id & 1) && f->pending.wait == WAIT_COND &&
	       f->pending.addr == (uint64_t)c && f->eligible != COND_LOST;
}

static int wait_on(pthread_cond_t *c, pthread_mutex_t *m, bool timed)
{
	struct cond_state *s = (struct cond_state *)c;
	struct mutex_state *mutex = (struct mutex_state *)m;
	struct fiber *f = rt->cur;
	uint64_t pc = caller();
	uint32_t count = mutex->count;
	struct pending *p;
	int kind;

	p = announce(LP_EV_WAIT, c, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->addr2 = (uint64_t)m;
	step(f);
	mutex->locked = mutex->owner = 0;
	mutex->count = 0;
	f->eligible = COND_QUEUED;

	p = announce(LP_EV_WAKE, c, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_COND;
	p->attempt = timed;
	kind = step(f)->kind;
	f->eligible = COND_QUEUED;
	if (kind == LP_EV_WAKE)
		s->tokens--;

	p = announce(LP_EV_LOCK, m, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_MUTEX;
	step(f);
	mutex->locked = 1;
	mutex->owner = f->id + 1;
	mutex->count = count ? count : 1;
	return kind == LP_EV_WAKE ? 0 : ETIMEDOUT;
}

int i_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int i_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	if (!active())
		return real_pthread_cond_wait(c, m);
	return wait_on(c, m, false);
}

int i_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int i_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	int result;

	if (!active())
		return real_pthread_cond_timedwait(c, m, until);
	wait_until(until);
	result = wait_on(c, m, true);
	wait_over(until, result == ETIMEDOUT);
	return result;
}

int i_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
			     const struct timespec *until);
int i_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
			     const struct timespec *until)
{
	(void)clock;
	return i_pthread_cond_timedwait(c, m, until);
}

/* Allows up to `most` of the queued threads to go. */
static void let_go(pthread_cond_t *c, unsigned most)
{
	struct cond_state *s = (struct cond_state *)c;
	unsigned queued = 0;

	for (unsigned i = 0; i < rt->nfibers; i++) {
		struct fiber *f = &rt->fibers[i];

		if (queued_on(f, c)) {
			f->eligible = COND_ELIGIBLE;
			queued++;
		}
	}
	s->tokens = s->tokens + most < queued ? s->tokens + most : queued;
}

int i_pthread_cond_signal(pthread_cond_t *c);
int i_pthread_cond_signal(pthread_cond_t *c)
{
	if (!active())
		return real_pthread_cond_signal(c);
	if (!alone())
		object_step(LP_EV_SIGNAL, c, WAIT_NOT, false);
	let_go(c, 1);
	return 0;
}

int i_pthread_cond_broadcast(pthread_cond_t *c);
int i_pthread_cond_broadcast(pthread_cond_t *c)
{
	if (!active())
		return real_pthread_cond_broadcast(c);
	if (!alone())
		object_step(LP_EV_BROADCAST, c, WAIT_NOT, false);
	let_go(c, MAX_FIBERS);
	return 0;
}

int i_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr);
int i_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	if (!active())
		return real_pthread_cond_init(c, attr);
	object_init_step(c);
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (queued_on(&rt->fibers[i], c))
			rt->fibers[i].eligible = COND_LOST;
	zero(c, sizeof *c);
	return 0;
}

int i_pthread_cond_destroy(pthread_cond_t *c);
int i_pthread_cond_destroy(pthread_cond_t *c)
{
	if (!active())
		return real_pthread_cond_destroy(c);
	object_init_step(c);
	return 0;
}
