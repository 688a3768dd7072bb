/* SPDX-License-Identifier: MIT
 *
 * Dynamic partial order reduction with source sets and sleep sets: Abdulla, Aronis, Jonsson,
 * Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction", JACM 64(4),
 * 2017, algorithm 1.
 *
 * The log is the stack of the depth-first search; each step has a frame (backtrack, done, sleep) for
 * the state before it. When a step is added, each race with an earlier event e that it could be
 * reversed with gives a sequence v: the steps after e that do not happen after e, then the new one.
 * Unless an initial of v is already in the backtrack set of the state before e, one is added.
 * Sleeping threads are those whose next step was explored from an ancestor and is independent of
 * everything since; an execution in which only sleepers could run is redundant and cut. No two
 * complete executions are equivalent, and every class has one.
 *
 * Blocking. A lock operation that was disabled until e (an unlock, a post, a signal) cannot be
 * reversed with e; the race is with the earlier event that took the object. What is still blocked
 * when an execution ends takes part in races as if it had happened, or the other order of a
 * deadlock would be lost. A futex is another matter: the wait is a step that anybody can reverse,
 * and what follows it goes on at once when it is woken, which commutes with everything.
 *
 * A crash is dependent with everything: it races with the last step of each other thread, the state
 * before it then tries every thread, and it never sleeps.
 */
#include "../objects.h"
#include "../observed.h"
#include "../sched.h"
#include "../shadow.h"
#include "../steps.h"
#include "../strategy.h"
#include "frames.h"
#include "races.h"
#include "source.h"

static bool begin(uint32_t *prefix, int32_t *choice)
{
	order_clocks = rt->clocks;
	sleep_nobody();
	return frames_begin(prefix, choice, true);
}

/* The lock was taken when it was made anew: back to the step by which it was. */
static uint32_t not_taken_before(uint32_t e, const struct event *step, const uint32_t *clock)
{
	while (e-- > 0) {
		const struct event *ev = &rt->log[e];

		if (!event_is_step(ev) || lp_kind_access(ev->kind) != LP_WRITES || !on_same_object(ev, step))
			continue;
		if (clock[ev->thread] >= ev->seq)
			return NO_EVENT;
		if (rt->enabled[step_head(e)] >> step->thread & 1)
			return e;
	}
	return NO_EVENT;
}

/* The event that a blocking step, which directly follows e, can be reversed with: e, an earlier one
 * on the object, or none that is not before it anyway. */
static uint32_t reversible(uint32_t e, const struct event *step, const uint32_t *clock,
			   unsigned wait)
{
	const struct event *ev = &rt->log[e];
	uint32_t taken;

	if (about_sent(ev, wait))
		return reversible_sent(e, step, clock, wait);
	switch (wait) {
	case WAIT_NOT:
		return e;
	case WAIT_MUTEX:
	case WAIT_WRLOCK:
	case WAIT_RDLOCK:
	case WAIT_ONCE:
		taken = lock_given_back(ev, wait);
		if (taken != NO_EVENT)
			return taken;
		if (ev->kind != LP_EV_OBJECT_INIT || rt->enabled[step_head(e)] >> step->thread & 1)
			return e;
		return not_taken_before(e, step, clock);
	default:
		break;
	}
	/* Semaphores, conditions, barriers, spin locks: back to where it was not blocked. */
	for (;; ev--) {
		if (event_is_step(ev) && (lp_kind_access(ev->kind) == LP_WRITES || may_have_been_free(ev)) &&
		    on_same_object(ev, step)) {
			if (clock[ev->thread] >= ev->seq)
				return NO_EVENT;
			if (may_have_been_free(ev) ||
			    (wait == WAIT_SEM || wait == WAIT_SPINLOCK
				     ? ev->available
				     : (rt->enabled[ev - rt->log] >> step->thread & 1)))
				return (uint32_t)(ev - rt->log);
		}
		if (ev == rt->log)
			return NO_EVENT;
	}
}

/* Which steps race with a step is asked of `order`, who can come first of `clock`: a step that
 * follows another one on its object cannot come before that one, even where program order alone
 * says that they race. */
static void races_of(const struct event *step, uint32_t end, const uint32_t *conflicts, unsigned n,
		     const uint32_t *before, unsigned wait)
{
	uint32_t clock[MAX_FIBERS], full[MAX_FIBERS];
	const uint32_t *order = wait ? before : clock;

	copy(clock, before, rt->nfibers * sizeof clock[0]);
	copy(full, before, rt->nfibers * sizeof full[0]);
	for (unsigned c = 0; c < n; c++)
		clock_join(full, order_clocks[conflicts[c]]);
	for (unsigned c = 0; c < n; c++) {
		const struct event *e = &rt->log[conflicts[c]];

		if (order[e->thread] < e->seq) {
			uint32_t r = reversible(conflicts[c], step, order, wait);

			while (r != NO_EVENT && order[rt->log[r].thread] < rt->log[r].seq) {
				race(r, end, step->thread, wait ? clock : full);
				if (!wait || waits_for_lock(wait) || !r || !may_have_been_free(&rt->log[r]))
					break;
				r = reversible(r - 1, step, order, wait);
			}
		}
		clock_join(clock, order_clocks[conflicts[c]]);
	}
}

void source_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	const struct event *e = &rt->log[i];

	if (n)
		races_of(e, i, conflicts, n, clock, e->wait);
	races_of_lost(i);
	sleep_on(i, i + 1);
}

/* Who waits for a lock races with the steps that took it (clock: with what it waits for; before: without). */
static void races_of_holders(const struct fiber *f, const uint32_t *before, const uint32_t *clock)
{
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct fiber *h = &rt->fibers[i];

		for (unsigned k = 0; h != f && k < h->nheld; k++) {
			uint32_t at = lock_taken(h->held[k].index, f->pending.wait);

			if (h->held[k].addr == f->pending.addr && before[i] < rt->log[at].seq)
				race(at, rt->n, f->id, clock);
		}
	}
}

/* Pending events that never happened, because they were blocked or the execution ended. */
static void races_of_blocked(void)
{
	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(b)];
		const struct pending *p = &f->pending;
		uint32_t conflicts[MAX_FIBERS], before[MAX_FIBERS];
		struct event e;
		unsigned n;

		if (!pending_races(f, &e, conflicts, &n))
			continue;
		if (order_clocks == rt->clocks)
			copy(before, f->clock, rt->nfibers * sizeof before[0]);
		else
			observed_before(f, before);
		if (waits_for_lock(p->wait)) {
			uint32_t clock[MAX_FIBERS];

			copy(clock, before, rt->nfibers * sizeof clock[0]);
			for (unsigned c = 0; c < n; c++)
				clock_join(clock, order_clocks[conflicts[c]]);
			races_of_holders(f, before, clock);
		}
		races_of(&e, rt->n, conflicts, n, before, p->wait);
	}
}

/* A write that is the last of its run: it races with the others of the run and with what came before. */
static void races_of_seen(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *before)
{
	uint32_t clock[MAX_FIBERS], full[MAX_FIBERS], without[MAX_FIBERS];

	copy(clock, before, rt->nfibers * sizeof clock[0]);
	copy(full, before, rt->nfibers * sizeof full[0]);
	copy(without, before, rt->nfibers * sizeof without[0]);
	for (unsigned c = 0; c < n; c++) {
		clock_join(full, order_clocks[conflicts[c]]);
		if (!observed_pair(conflicts[c], i))
			clock_join(without, order_clocks[conflicts[c]]);
	}
	for (unsigned c = 0; c < n; c++) {
		const struct event *e = &rt->log[conflicts[c]];

		if (clock[e->thread] < e->seq)
			race(conflicts[c], i, rt->log[i].thread,
			     observed_pair(conflicts[c], i) ? without : full);
		clock_join(clock, order_clocks[conflicts[c]]);
	}
}

static void races_of_steps(void)
{
	for (uint32_t i = 0; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		uint32_t conflicts[MAX_FIBERS], before[MAX_FIBERS];
		bool seen = false;
		unsigned n;

		if (!event_is_step(e))
			continue;
		n = observed_conflicts(i, conflicts, before);
		for (unsigned c = 0; c < n; c++)
			seen |= observed_pair(conflicts[c], i);
		if (seen)
			races_of_seen(i, conflicts, n, before);
		else
			races_of(e, i, conflicts, n, before, e->wait);
	}
}

/* A crash in step i is dependent with everything: it races with the last step of each thread. */
static void races_of_crash(uint32_t i)
{
	uint32_t conflicts[MAX_FIBERS];
	uint64_t seen = bit(rt->log[i].thread);
	unsigned n = 0;

	for (uint32_t k = i; k-- > 0;) {
		const struct event *e = &rt->log[k];

		if (!event_is_step(e) || seen & bit(e->thread))
			continue;
		seen |= bit(e->thread);
		conflicts[n++] = k;
	}
	races_of(&rt->log[i], i, conflicts, n, rt->clocks[i], WAIT_NOT);
}

void source_end(void)
{
	if (order_clocks != rt->clocks)
		races_of_steps();
	races_of_blocked();
	end_races(races_of_crash);
}

const struct strategy strategy_source = {
	.init = frames_init,
	.begin = begin,
	.pick = choose_awake,
	.step = source_step,
	.end = source_end,
	.estimate = frames_estimate,
	.frames = true,
	.distinct = true,
};
