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
#include "../memory_errors.h"
#include "../objects.h"
#include "../sched.h"
#include "../shadow.h"
#include "../strategy.h"
#include "frames.h"

static uint64_t next_sleep; /* for the frame that comes next */

static bool is_step(const struct event *e)
{
	return e->kind <= LP_EV_LAST_STEP;
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	next_sleep = 0;
	return frames_begin(prefix, choice, true);
}

/* Memory must not be given back while another thread is about to use it: that ends the execution,
 * though the free does not depend on the step by which the other got there. So a free that was
 * explored when nobody was about to wakes up; and a free wakes up whoever would be about to use the
 * block after its step (wakes()). */
static uint64_t without_frees(uint64_t sleep)
{
	for (uint64_t s = sleep; s; s &= s - 1) {
		unsigned id = (unsigned)__builtin_ctzll(s);
		uint32_t n;
		const struct event *e = frames_sleeper(id, &n);

		if (UNLIKELY(e->kind == LP_EV_FREE) && used_by_others(e->addr, e->size, id))
			sleep &= ~bit(id);
	}
	return sleep;
}

static int pick(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];
	uint64_t awake;
	int id;

	next_sleep = without_frees(next_sleep);
	awake = enabled & ~next_sleep;
	frame->sleep = next_sleep;
	frame->done = 0;
	frame->ran = false;
	if (!awake)
		return -1;
	id = first_choice(awake);
	frame->backtrack = bit((unsigned)id);
	return id;
}

/* Is event k after the first steps, seen so far, of the threads in `seen` (their numbers in
 * first[])? */
static bool follows_any(const uint32_t *clock, uint64_t seen, const uint32_t *first)
{
	for (; seen; seen &= seen - 1) {
		unsigned u = (unsigned)__builtin_ctzll(seen);

		if (clock[u] >= first[u])
			return true;
	}
	return false;
}

/* The race between log event e and the step `last` of `thread` (clock: what happens before it):
 * reverse it. A step behind a free does not come first in its place: with other values it may lead its
 * thread to the freed block. */
static void race(uint32_t e, uint32_t end, uint8_t thread, const uint32_t *clock)
{
	struct search_frame *frame = &search_frames[e];
	const struct event *ev = &rt->log[e];
	uint32_t first[MAX_FIBERS];
	uint64_t seen = 0, initials = 0;
	bool freed = false;

	for (uint32_t k = e + 1; k < end; k++) {
		const struct event *v = &rt->log[k];

		if (!is_step(v) || rt->clocks[k][ev->thread] >= ev->seq)
			continue;
		if (seen & bit(v->thread)) {
			freed |= v->kind == LP_EV_FREE;
			continue;
		}
		if (!freed && !follows_any(rt->clocks[k], seen, first)) {
			initials |= bit(v->thread);
			if (frame->backtrack & bit(v->thread))
				return;
		}
		seen |= bit(v->thread);
		first[v->thread] = v->seq;
		freed |= v->kind == LP_EV_FREE;
	}
	if (!freed && !(seen & bit(thread)) && !follows_any(clock, seen, first))
		initials |= bit(thread);
	if (initials & frame->backtrack)
		return;
	initials &= rt->enabled[e];
	if (initials & frame->sleep)
		return; /* explored from an ancestor already */
	frame->backtrack |= initials ? initials & -initials : rt->enabled[e];
}

/* The locks of a mutex or the like, with what happens before its step by program order alone: a
 * race with who took it must not be hidden by a failed attempt or a release in between. */
static bool of_a_lock(unsigned wait)
{
	return wait == WAIT_MUTEX || wait == WAIT_WRLOCK || wait == WAIT_RDLOCK ||
	       wait == WAIT_ONCE;
}

/* Before these the object may have been free or not. */
static bool may_be_free(const struct event *e)
{
	return e->kind == LP_EV_OBJECT_INIT || e->kind == LP_EV_READ;
}

/* A lock that prefers writers is taken from readers by a writer that comes; from other writers only by
 * its next step. */
static uint32_t taken(uint32_t index, unsigned wait)
{
	const struct event *came = &rt->log[index];

	if (came->kind != LP_EV_ARRIVE || wait != WAIT_WRLOCK)
		return index;
	for (uint32_t k = index + 1; k < rt->n; k++)
		if (is_step(&rt->log[k]) && rt->log[k].thread == came->thread)
			return k;
	return index;
}

/* The event that a blocking step, which directly follows e, can be reversed with: e, an earlier one
 * on the object, or none that is not before it anyway. */
static uint32_t reversible(uint32_t e, const struct event *step, const uint32_t *clock,
			   unsigned wait)
{
	const struct event *ev = &rt->log[e];

	switch (wait) {
	case WAIT_NOT:
		return e;
	case WAIT_MUTEX:
	case WAIT_WRLOCK:
	case WAIT_RDLOCK:
	case WAIT_ONCE:
		return ev->acquired != NO_EVENT ? taken(ev->acquired, wait) : e;
	default:
		break;
	}
	/* Semaphores, conditions, barriers, spin locks: back to where it was not blocked. */
	for (;; ev--) {
		if (is_step(ev) && (lp_kind_access(ev->kind) == LP_WRITES || may_be_free(ev)) &&
		    (ev->addr == step->addr || ev->addr2 == step->addr)) {
			if (clock[ev->thread] >= ev->seq)
				return NO_EVENT;
			if (may_be_free(ev) ||
			    (wait == WAIT_SEM || wait == WAIT_SPINLOCK
				     ? ev->available
				     : (rt->enabled[ev - rt->log] >> step->thread & 1)))
				return (uint32_t)(ev - rt->log);
		}
		if (ev == rt->log)
			return NO_EVENT;
	}
}

static void join(uint32_t *clock, const uint32_t *other)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
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
		join(full, rt->clocks[conflicts[c]]);
	for (unsigned c = 0; c < n; c++) {
		const struct event *e = &rt->log[conflicts[c]];

		if (order[e->thread] < e->seq) {
			uint32_t r = reversible(conflicts[c], step, order, wait);

			while (r != NO_EVENT && order[rt->log[r].thread] < rt->log[r].seq) {
				race(r, end, step->thread, wait ? clock : full);
				if (!wait || of_a_lock(wait) || !r || !may_be_free(&rt->log[r]))
					break;
				r = reversible(r - 1, step, order, wait);
			}
		}
		join(clock, rt->clocks[conflicts[c]]);
	}
}

static bool wakes(unsigned sleeper, const struct event *e)
{
	uint32_t one;

	return events_conflict(frames_sleeper(sleeper, &one), e) ||
	       (UNLIKELY(e->kind == LP_EV_FREE) && frames_sleeper_uses(sleeper, e->addr, e->size));
}

static void step_added(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	const struct event *e = &rt->log[i];
	uint64_t sleep = search_frames[i].sleep & ~bit(e->thread), kept = 0;

	search_frames[i].terminal = false;
	if (n)
		races_of(e, i, conflicts, n, clock, e->wait);
	for (; sleep; sleep &= sleep - 1) {
		unsigned id = (unsigned)__builtin_ctzll(sleep);

		if (!wakes(id, e))
			kept |= bit(id);
	}
	next_sleep = kept;
}

/* Who waits for a lock races with the steps that took it (clock: with what it waits for). */
static void races_of_holders(const struct fiber *f, const uint32_t *clock)
{
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct fiber *h = &rt->fibers[i];

		for (unsigned k = 0; h != f && k < h->nheld; k++) {
			uint32_t at = taken(h->held[k].index, f->pending.wait);

			if (h->held[k].addr == f->pending.addr && f->clock[i] < rt->log[at].seq)
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
		uint32_t conflicts[MAX_FIBERS];
		struct event e;
		unsigned n = 0;

		if (p->wait == WAIT_JOIN || p->wait == WAIT_FUTEX || p->attempt ||
		    object_allows(f, p))
			continue;
		zero(&e, sizeof e);
		e.addr = p->addr;
		e.thread = f->id;
		shadow_access(p->addr, p->size, (uint8_t)lp_kind_access(p->kind), NO_EVENT, f->id,
			      conflicts, &n);
		if (of_a_lock(p->wait)) {
			uint32_t clock[MAX_FIBERS];

			copy(clock, f->clock, rt->nfibers * sizeof clock[0]);
			for (unsigned c = 0; c < n; c++)
				join(clock, rt->clocks[conflicts[c]]);
			races_of_holders(f, clock);
		}
		races_of(&e, rt->n, conflicts, n, f->clock, p->wait);
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

		if (!is_step(e) || seen & bit(e->thread))
			continue;
		seen |= bit(e->thread);
		conflicts[n++] = k;
	}
	races_of(&rt->log[i], i, conflicts, n, rt->clocks[i], WAIT_NOT);
}

static void end(void)
{
	uint32_t i = rt->n;

	frames_end();
	races_of_blocked();
	if (rt->no_class || rt->outcome.kind == LP_OUT_DEADLOCK || rt->outcome.kind == LP_OUT_LIVELOCK ||
	    rt->outcome.kind == LP_OUT_ENDLESS)
		return;
	while (i-- > 0 && !is_step(&rt->log[i]))
		;
	if (i == NO_EVENT)
		return;
	if (rt->outcome.kind != LP_OUT_OK && rt->outcome.kind != LP_OUT_EXIT)
		races_of_crash(i);
	if ((rt->ready | rt->blocked) & ~bit(rt->cur->id)) {
		search_frames[i].terminal = true;
		search_frames[i].backtrack |= rt->enabled[i];
	}
}

const struct strategy strategy_dpor = {
	.init = frames_init,
	.begin = begin,
	.pick = pick,
	.step = step_added,
	.end = end,
	.estimate = frames_estimate,
	.frames = true,
	.distinct = true,
};
