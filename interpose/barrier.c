/* SPDX-License-Identifier: MIT
 *
 * Barriers. The last thread to arrive lets the others go; from then on they do not need the object,
 * so it may be destroyed and used anew while they are on their way out, as POSIX allows.
 */
#include "interpose.h"

#include <errno.h>

static struct barrier_state *state_of(pthread_barrier_t *b)
{
	return (struct barrier_state *)b;
}

static bool waits(const struct fiber *f, const pthread_barrier_t *b)
{
	return f->waits_at == (uint64_t)b && !f->woken;
}

int i_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count);
int i_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
	int shared = PTHREAD_PROCESS_PRIVATE;

	if (!active())
		return real_pthread_barrier_init(b, attr, count);
	if (!count || count > INT32_MAX)
		return EINVAL;
	object_init_step(b);
	if (attr)
		pthread_barrierattr_getpshared(attr, &shared);
	process_shared(b, shared);
	destroy_unwaited(b, "initialization of a barrier that another thread waits at");
	zero(b, sizeof *b);
	state_of(b)->count = count;
	return 0;
}

static void check_usable(pthread_barrier_t *b)
{
	const struct barrier_state *s = state_of(b);

	if (UNLIKELY(s->destroyed == DESTROYED))
		end_misuse(b, "use of a barrier that was destroyed", destroyed_where(b),
			   LP_WAIT_DESTROYED);
	if (UNLIKELY(!s->count))
		end_misuse(b, "use of a barrier that was never initialized", NULL, 0);
}

int i_pthread_barrier_destroy(pthread_barrier_t *b);
int i_pthread_barrier_destroy(pthread_barrier_t *b)
{
	if (!active())
		return real_pthread_barrier_destroy(b);
	object_init_step(b);
	check_usable(b);
	destroy_unwaited(b, "destruction of a barrier that another thread waits at");
	state_of(b)->destroyed = DESTROYED;
	destroyed_here(b);
	return 0;
}

int i_pthread_barrier_wait(pthread_barrier_t *b);
int i_pthread_barrier_wait(pthread_barrier_t *b)
{
	struct barrier_state *s = state_of(b);
	struct fiber *f = rt->cur;
	uint64_t pc;
	struct pending *p;

	if (!active())
		return real_pthread_barrier_wait(b);
	pc = caller();
	if (!alone())
		object_step(LP_EV_BARRIER, b, WAIT_NOT, false);
	check_usable(b);
	if (++s->arrived == s->count) {
		s->arrived = 0;
		for (unsigned i = 0; i < rt->nfibers; i++)
			if (waits(&rt->fibers[i], b))
				rt->fibers[i].woken = 1;
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	f->woken = 0;
	f->waits_at = (uint64_t)b;
	p = announce(LP_EV_BARRIER_LEAVE, b, 1, pc);
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_BARRIER;
	step(f);
	f->waits_at = 0;
	return 0;
}
