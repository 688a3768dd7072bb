/* SPDX-License-Identifier: MIT
 *
 * Dynamic partial order reduction where blocks are in force: source.c, but for what a step is. Here it
 * is all that a thread does in one go (steps.c), with one footprint and one clock. Read source.c first.
 *
 * A step is known when it is complete, so that is when its races are found. They lead to the beginning
 * of the earlier step. It happens before another one if any of its events does: the clocks of the log
 * are those of whole steps by then. A thread that sleeps is woken by what conflicts with any event of
 * the step that it made when it was explored. Two orders of steps are equivalent if and only if their
 * events are, so no class comes twice.
 *
 * Locks. A step that takes a lock which the earlier step has released races with the step that took it;
 * that one may have released it first to take it again, so the way back goes on to a step which took it
 * and did not (taken()). Who finds that it must wait, at the first event of its step or inside,
 * takes part in races at that state, with what it has done so far, first with who holds the lock. For
 * steps of several locks it is too late to do that when the execution ends: by then the lock may have
 * gone through other hands.
 *
 * A step that had to wait inside is no execution, and its thread does not sleep; all others that could
 * run are tried in its place (frames.c).
 */
#include "../objects.h"
#include "../sched.h"
#include "../shadow.h"
#include "../steps.h"
#include "../strategy.h"
#include "frames.h"
#include "races.h"

/* The step that is being made. */
static struct {
	uint32_t before[MAX_FIBERS];    /* the clock of its thread before it */
	uint32_t conflicts[MAX_FIBERS]; /* earlier events of other threads, the latest of each; latest first */
	unsigned n;
} now;

static bool begin(uint32_t *prefix, int32_t *choice)
{
	order_clocks = rt->clocks;
	sleep_nobody();
	return frames_begin(prefix, choice, true);
}

/* ---- locks ---- */

/* Behind the last event of the step that begins there. */
static uint32_t step_end(uint32_t head)
{
	uint32_t k = head + 1;

	while (k < rt->n && (!event_is_step(&rt->log[k]) || rt->log[k].glued))
		k++;
	return k;
}

static bool releases(const struct event *e, uint64_t lock)
{
	switch (e->kind) {
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
		return e->addr == lock;
	case LP_EV_ARRIVE:
		return e->addr == lock && e->acquired != NO_EVENT;
	case LP_EV_WAIT:
		return e->addr2 == lock;
	default:
		return false;
	}
}

/* The step that took the lock, from who waits so, which the one that begins at `head` releases without
 * having taken it; NO_EVENT if it does not. */
static uint32_t took_before(uint32_t head, uint64_t lock, unsigned wait)
{
	uint32_t end = step_end(head);

	for (uint32_t k = head; k < end; k++) {
		const struct event *e = &rt->log[k];
		uint32_t before;

		if (!event_is_step(e) || !releases(e, lock))
			continue;
		before = lock_given_back(e, wait);
		if (before == NO_EVENT)
			continue;
		before = step_head(before);
		if (before != head)
			return before;
	}
	return NO_EVENT;
}

/* Back to a step that took the lock without having released it first. */
static uint32_t taken(uint32_t head, uint64_t lock, unsigned wait)
{
	uint32_t before;

	while ((before = took_before(head, lock, wait)) != NO_EVENT)
		head = before;
	return head;
}

/* Does the step take a lock at k that it could have waited for? Not if it has released it itself. */
static bool acquires(uint32_t from, uint32_t k)
{
	const struct event *e = &rt->log[k];

	if (!event_is_step(e) || !waits_for_lock(e->wait))
		return false;
	while (from < k)
		if (event_is_step(&rt->log[--k]) && releases(&rt->log[k], e->addr))
			return false;
	return true;
}

/* The step that the one of events from..to can be reversed with, the one that begins at `head` being
 * before it. */
static uint32_t reversible(uint32_t head, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++) {
		const struct event *e = &rt->log[k];
		uint32_t before = acquires(from, k) ? took_before(head, e->addr, e->wait) : NO_EVENT;

		if (before != NO_EVENT)
			return taken(before, e->addr, e->wait);
	}
	return head;
}

/* ---- races ---- */

static bool is_before(uint32_t head, const uint32_t *clock)
{
	return clock[rt->log[head].thread] >= rt->log[head].seq;
}

/* Those of the step of events from..to, which conflicts with earlier ones. */
static void races_of(uint8_t thread, uint32_t from, uint32_t to, const uint32_t *conflicts, unsigned n,
		     const uint32_t *before)
{
	uint32_t clock[MAX_FIBERS], full[MAX_FIBERS];
	bool takes = false;

	copy(clock, before, rt->nfibers * sizeof clock[0]);
	copy(full, before, rt->nfibers * sizeof full[0]);
	for (uint32_t k = from; k < to; k++)
		takes |= acquires(from, k);
	for (unsigned c = 0; c < n; c++)
		clock_join(full, rt->clocks[conflicts[c]]);
	for (unsigned c = 0; c < n; c++) {
		uint32_t head = step_head(conflicts[c]), r;
		const uint32_t *order = takes ? before : clock;

		if (!is_before(head, order)) {
			r = reversible(head, from, to);
			if (!is_before(r, order))
				race(r, from, thread, takes ? clock : full);
			/* What a step of several events reads there may lead it to other locks; if it has to
			 * wait then, its attempt says for which. */
			if (r != head && to > from + 1)
				race(head, from, thread, takes ? clock : full);
		}
		clock_join(clock, rt->clocks[conflicts[c]]);
	}
}

/* Semaphores, conditions, barriers, spin locks: from event i back to where it was not blocked; NO_EVENT
 * if that was before it anyway. */
static uint32_t not_blocked(uint32_t i, const struct event *step, const uint32_t *clock)
{
	if (about_sent(&rt->log[i], step->wait))
		return reversible_sent(i, step, clock, step->wait);
	for (;; i--) {
		const struct event *ev = &rt->log[i];

		if (event_is_step(ev) && (lp_kind_access(ev->kind) == LP_WRITES || may_have_been_free(ev)) &&
		    on_same_object(ev, step)) {
			if (clock[ev->thread] >= ev->seq)
				return NO_EVENT;
			if (may_have_been_free(ev) ||
			    (step->wait == WAIT_SEM || step->wait == WAIT_SPINLOCK
				     ? ev->available
				     : (rt->enabled[step_head(i)] >> step->thread & 1)))
				return i;
		}
		if (!i)
			return NO_EVENT;
	}
}

/* Those of an event that waits for something but a lock, in the step after `end`. */
static void races_of_wait(const struct event *step, uint32_t end, const uint32_t *conflicts, unsigned n,
			  const uint32_t *before)
{
	uint32_t clock[MAX_FIBERS];

	copy(clock, before, rt->nfibers * sizeof clock[0]);
	for (unsigned c = 0; c < n; c++) {
		uint32_t r = conflicts[c];

		if (before[rt->log[r].thread] < rt->log[r].seq) {
			r = not_blocked(r, step, before);
			while (r != NO_EVENT && before[rt->log[r].thread] < rt->log[r].seq) {
				race(step_head(r), end, step->thread, clock);
				if (!r || !may_have_been_free(&rt->log[r]))
					break;
				r = not_blocked(r - 1, step, before);
			}
		}
		clock_join(clock, rt->clocks[conflicts[c]]);
	}
}

/* Those of a thread that waits for a lock: with the steps that took it. */
static void races_of_holders(const struct fiber *f, uint32_t end, const uint32_t *conflicts, unsigned n,
			     const uint32_t *before)
{
	uint32_t clock[MAX_FIBERS];

	copy(clock, before, rt->nfibers * sizeof clock[0]);
	for (unsigned c = 0; c < n; c++)
		clock_join(clock, rt->clocks[conflicts[c]]);
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct fiber *h = &rt->fibers[i];

		for (unsigned k = 0; h != f && k < h->nheld; k++) {
			const struct pending *p = &f->pending;
			uint32_t r;

			if (h->held[k].addr != p->addr)
				continue;
			r = taken(step_head(lock_taken(h->held[k].index, p->wait)), p->addr, p->wait);
			if (rt->log[r].thread != f->id && !is_before(r, before))
				race(r, end, f->id, clock);
		}
	}
}

/* Those of an event that was announced, and waits; in the step after `end`. */
static void races_of_waiting(const struct fiber *f, uint32_t end, const uint32_t *before)
{
	const struct pending *p = &f->pending;
	uint32_t conflicts[MAX_FIBERS];
	struct event e;
	unsigned n = 0;

	if (!pending_races(f, &e, conflicts, &n))
		return;
	if (waits_for_lock(p->wait))
		races_of_holders(f, end, conflicts, n, before);
	else
		races_of_wait(&e, end, conflicts, n, before);
}

static void races_of_all_waiting(void)
{
	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(b)];

		races_of_waiting(f, rt->n, f->clock);
	}
}

/* A crash is dependent with everything: it races with the last step of each thread. */
static void races_of_crash(uint32_t head)
{
	const struct event *crash = &rt->log[head];
	uint32_t clock[MAX_FIBERS], full[MAX_FIBERS], last[MAX_FIBERS];
	uint64_t seen = bit(crash->thread);
	unsigned n = 0;

	copy(clock, rt->clocks[head], rt->nfibers * sizeof clock[0]);
	copy(full, clock, rt->nfibers * sizeof full[0]);
	for (uint32_t k = head; k-- > 0;) {
		const struct event *e = &rt->log[k];

		if (!event_is_step(e) || seen & bit(e->thread))
			continue;
		seen |= bit(e->thread);
		last[n++] = step_head(k);
		clock_join(full, rt->clocks[k]);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!is_before(last[i], clock))
			race(last[i], head, crash->thread, full);
		clock_join(clock, rt->clocks[last[i]]);
	}
}

/* ---- the strategy ---- */

static int pick(uint64_t enabled)
{
	races_of_all_waiting();
	return choose_awake(enabled);
}

/* Keeps the latest event of each thread, the latest of all first. */
static void add_conflict(uint32_t index)
{
	uint8_t thread = rt->log[index].thread;
	unsigned i = 0;

	while (i < now.n && rt->log[now.conflicts[i]].thread != thread)
		i++;
	if (i == now.n)
		now.n++;
	else if (now.conflicts[i] >= index)
		return;
	for (; i > 0 && now.conflicts[i - 1] < index; i--)
		now.conflicts[i] = now.conflicts[i - 1];
	now.conflicts[i] = index;
}

static void event_added(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	const struct event *e = &rt->log[i];

	if (!e->glued) {
		copy(now.before, clock, rt->nfibers * sizeof clock[0]);
		now.n = 0;
	}
	for (unsigned c = 0; c < n; c++)
		add_conflict(conflicts[c]);
	if (e->wait && !waits_for_lock(e->wait))
		races_of_wait(e, step_head(i), conflicts, n, now.before);
}

static void step_complete(uint32_t from, uint32_t to)
{
	const struct event *e = &rt->log[from];

	/* A single event that waits has had its races. */
	if (now.n && (step_end(from) > from + 1 || !e->wait || waits_for_lock(e->wait)))
		races_of(e->thread, from, to, now.conflicts, now.n, now.before);
	races_of_lost(from);
	sleep_on(from, to);
}

static void step_aborted(void)
{
	const struct fiber *f = &rt->fibers[rt->log[rt->head].thread];

	races_of_waiting(f, rt->head, now.before);
	races_of(f->id, rt->head, rt->n, now.conflicts, now.n, now.before);
}

static void end(void)
{
	races_of_all_waiting();
	end_races(races_of_crash);
}

const struct strategy strategy_source_steps = {
	.init = frames_init,
	.begin = begin,
	.pick = pick,
	.step = event_added,
	.whole = step_complete,
	.aborted = step_aborted,
	.end = end,
	.estimate = frames_estimate,
	.frames = true,
	.distinct = true,
};
