/* SPDX-License-Identifier: MIT
 *
 * A lock-free operation that is not wait-free begins anew as often as others come between. How many
 * rounds are too many cannot be seen in a program that ends. What can be seen is that rounds follow
 * the operations of others: the operation tries the same location at the same line again, after a
 * compare-exchange of its own that failed, and each time another operation has come to it since the
 * last time. MANY such rounds are taken for a sign that nothing bounds them.
 *
 * The search leaves such rounds out: a thread that comes back to where it was and has changed nothing
 * is as it was before. So they are provoked. Whenever a compare-exchange of the operation is about to
 * succeed, another thread first goes on until it has completed an operation.
 */
#include "../memory.h"
#include "../progress.h"
#include "../runs.h"
#include "../sched.h"
#include "../strategy.h"

#include <errno.h>
#include <signal.h>

#define MANY  3
#define MOST  5000 /* steps after the schedule */
#define TRIES 64 /* places of an operation that are looked at */

static struct restarts {
	uint32_t *calls; /* by log index: operations that the thread has begun until then */
	uint32_t *index; /* log indices of the steps, by thread */
	uint32_t first[MAX_FIBERS];
	struct attempt {
		uint64_t pc, addr;
		uint32_t failures, seen, rounds;
	} tries[TRIES];
	unsigned ntries;

	/* restarts_provoke() */
	const uint8_t *schedule;
	uint32_t length, at, taken;
	unsigned thread, other; /* who is between, or nobody: the thread itself */
	uint32_t since;         /* log index at which that one began... */
	uint64_t useless;       /* ...and those who could not complete an operation */
} *s;

void restarts_init(void)
{
	s = memory_get(sizeof *s);
	s->calls = memory_get(log_capacity() * sizeof *s->calls);
	s->index = memory_get(log_capacity() * sizeof *s->index);
}

/* Counts the operations of each thread. */
static void count_calls(uint32_t *own)
{
	uint32_t used = 0;

	for (unsigned u = 0; u < rt->nfibers; u++) {
		own[u] = 0;
		s->first[u] = used;
		for (uint32_t k = 0; k < rt->n; k++) {
			if (rt->log[k].thread != u || !event_is_step(&rt->log[k]))
				continue;
			own[u] += rt->log[k].kind == LP_EV_CALL;
			s->calls[k] = own[u];
			s->index[used++] = k;
		}
	}
}

bool restarts_few(void)
{
	uint32_t own[MAX_FIBERS], all = 0;

	count_calls(own);
	for (unsigned u = 0; u < rt->nfibers; u++)
		all += own[u];
	for (unsigned u = 0; u < rt->nfibers; u++)
		if (own[u] && all - own[u] < MANY)
			return true;
	return false;
}

/* The operations of other threads that have come to this step. */
static uint32_t operations_seen(uint32_t k)
{
	const uint32_t *clock = rt->clocks[k];
	uint32_t n = 0;

	for (unsigned u = 0; u < rt->nfibers; u++)
		if (u != rt->log[k].thread && clock[u])
			n += s->calls[s->index[s->first[u] + clock[u] - 1]];
	return n;
}

/* One more step of the operation; true: that makes MANY rounds. */
static bool attempt(const struct event *e, uint32_t failures, uint32_t seen)
{
	struct attempt *a = s->tries;
	unsigned i = 0;

	while (i < s->ntries && (a[i].pc != e->pc || a[i].addr != e->addr))
		i++;
	if (i == TRIES)
		return false;
	if (i == s->ntries) {
		a[s->ntries++] = (struct attempt){ e->pc, e->addr, failures, seen, 0 };
		return false;
	}
	if (failures == a[i].failures || seen <= a[i].seen)
		return false;
	a[i].failures = failures;
	a[i].seen = seen;
	return ++a[i].rounds == MANY;
}

bool restarts_find(unsigned thread, uint32_t *at)
{
	uint32_t failures = 0, own[MAX_FIBERS];
	bool open = false;

	count_calls(own);
	for (uint32_t k = 0; k < rt->n; k++) {
		const struct event *e = &rt->log[k];

		if (e->thread != thread || !event_is_step(e))
			continue;
		if (e->kind == LP_EV_CALL || e->kind == LP_EV_RETURN) {
			open = e->kind == LP_EV_CALL;
			s->ntries = failures = 0;
		}
		if (!open || !e->access)
			continue;
		if (attempt(e, failures, operations_seen(k))) {
			*at = k;
			return true;
		}
		failures += e->kind == LP_EV_CAS_FAIL;
	}
	return false;
}

/* The access is another thread's: at a bad address it is for that thread to crash. */
static bool about_to_succeed(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	return p->compare && !(p->flags & LP_SITE_FUTEX) && can_be_read(p->addr) &&
	       can_be_read(p->addr + p->size - 1) && resolve(f) == LP_EV_RMW;
}

/* Goes on with who is between, until it has completed an operation. */
static bool other_goes_on(uint64_t enabled)
{
	const struct fiber *f = &rt->fibers[s->other];
	uint32_t last = f->rounds.own;

	if (last > s->since && rt->log[last - 1].kind == LP_EV_RETURN)
		return false;
	if (enabled & bit(s->other))
		return true;
	s->useless |= bit(s->other);
	return false;
}

static int pick(uint64_t enabled)
{
	const struct fiber *f;
	uint64_t others;

	if (s->at < s->length) {
		unsigned id = s->schedule[s->at++];

		return enabled & bit(id) ? (int)id : -1;
	}
	settle();
	f = &rt->fibers[s->thread];
	if (f->state != FIBER_LIVE || !f->in_op || ++s->taken > MOST)
		return -1;
	if (s->other != s->thread && other_goes_on(enabled))
		return (int)s->other;
	s->other = s->thread;
	if (!(enabled & bit(s->thread)))
		return -1;
	others = enabled & ~bit(s->thread) & ~s->useless & ~rt->exiting;
	if (others && about_to_succeed(f)) {
		s->other = (unsigned)__builtin_ctzll(others);
		s->since = rt->n;
	}
	return (int)s->other;
}

static const struct strategy strategy_provoke = { .pick = pick, .distinct = true };

bool restarts_provoke(look_run *run, unsigned thread, uint8_t *schedule, uint32_t *length,
		      uint64_t *pc)
{
	struct kept kept;
	uint32_t at;
	bool found;

	s->schedule = schedule;
	s->length = *length;
	s->at = s->taken = 0;
	s->thread = s->other = thread;
	s->useless = 0;
	runs_begin(&kept, &strategy_provoke);
	rt->prefix = 0;
	rt->choice = -1;
	rt->waiting.off = true;
	run();
	found = !rt->need_restart && !rt->need_again && restarts_find(thread, &at);
	rt->need_again = rt->need_donors = 0;
	if (found) {
		*pc = rt->log[at].pc;
		*length = 0;
		for (uint32_t k = 0; k <= at; k++)
			if (event_is_step(&rt->log[k]))
				schedule[(*length)++] = rt->log[k].thread;
	}
	runs_end(&kept);
	return found;
}
