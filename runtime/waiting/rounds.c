/* SPDX-License-Identifier: MIT
 *
 * Rounds: what to do with threads that wait in loops. After Musuvathi and Qadeer, "Fair stateless
 * model checking" (PLDI 2008), and the treatment of await loops in stateless model checkers.
 *
 * A thread has made a *round* if it is back at the same point in the same local state (visits.c)
 * and has restored what it wrote: for each location, the value after its own last write of the
 * round is the one before its first. A write that leaves the value as it was is a read. Memory as
 * it is now does not count, for others may have written since; and all earlier visits of the point
 * are looked at, not only the latest, for a toggle is back after two.
 *
 * A *pure* round only reads. The thread would read the same again until somebody writes, so it is
 * stuck: blocked for the rest of this execution, which goes on until nobody can run. "It stops when
 * it is back" is a property of this thread alone, like a program without the loop, so the search
 * is the ordinary one: the race of the vain read with a later write gives the execution in which
 * the loop ends, and no history and no end is lost. If such a write comes, during the round or
 * later, this execution is not a class of its own; it is *redundant*, for another one has the
 * vain round left out. But its races count, all of them.
 *
 * A *restoring* round (lock and unlock, plus and minus one) can be seen in its middle, so it
 * matters how others come between. The thread is delayed until another one does something that is
 * dependent with a step of the round, after that step; a blocking lock or unlock does not see a
 * blocking lock or unlock. After SEEN_ROUNDS rounds from the same state that somebody saw, the
 * thread is stuck as well. That is a bound, and if a later step would have woken it, the report
 * says so (LP_LIMIT_ROUNDS).
 *
 * Rounds that count (vain.c) are delayed, too, and the number of steps of each thread is bounded
 * (LP_LIMIT_STEPS); both are bounds and reported. The bound on steps is each thread's own, so that
 * it is again a property of the thread alone.
 *
 * A search that draws its choices never comes back to the execution that has a round left out, so
 * there (strategy.wakes) a thread goes on as soon as somebody has written what its round read.
 *
 * Nobody that waits takes part in races with what it would do next, only with what it did. A race
 * that asks for a thread that is delayed in the state before it leads to all that can run there.
 *
 * When all that are left wait in one of these ways, look.c decides whether that is a livelock.
 */
#include "../objects.h"
#include "../sched.h"
#include "../services.h"
#include "../spinning.h"
#include "../strategy.h"
#include "../trace.h"
#include "../words.h"

#define LOOK_BACK    8  /* visits in the same state that are looked at */
#define MAX_RESTORED 32 /* locations that a restoring round may write */
#define LONG_ROUND   64 /* steps of all, from which on a footprint pays */

void waiting_reset(uint32_t kept)
{
	bool off = rt->waiting.off, all = rt->waiting.all, hurry = rt->waiting.hurry;
	uint32_t given = rt->waiting.given;

	zero(&rt->waiting, sizeof rt->waiting);
	rt->waiting.given = given;
	rt->waiting.off = off;
	rt->waiting.all = all;
	rt->waiting.hurry = hurry;
	/* With steps of several events, what is new to a thread is counted otherwise when it comes again. */
	visits_keep(rt->blocks == BLOCKS_ATOMIC ? 0 : kept);
	vain_reset();
	footprints_reset();
	spinning_reset();
}

static bool changes(const struct event *e)
{
	return e->access == LP_WRITES || e->access == LP_SHARES;
}

/* A lock operation that waits for nothing but the lock, or ends that. */
static bool blocking_lock(const struct event *e)
{
	switch (e->kind) {
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
		return e->wait != WAIT_NOT;
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
		return true;
	default:
		return false;
	}
}

/* Would the thread that did e notice f, of another thread? The end of the process is none of its
 * business: it has waited until then. */
static bool sees(const struct event *e, const struct event *f)
{
	if (UNLIKELY(f->kind == LP_EV_EXIT_ALL))
		return false;
	return events_conflict(e, f) && !(blocking_lock(e) && blocking_lock(f));
}

/* Has somebody come after a step that the fiber did at `from` or later, and was that to be seen? */
static bool touched(const struct fiber *f, uint32_t from)
{
	for (uint32_t k = f->rounds.own; k > from; k = rt->log[k - 1].own)
		for (uint32_t q = k; q < rt->n; q++) {
			const struct event *e = &rt->log[q];

			if (e->thread != f->id && event_is_step(e) &&
			    sees(&rt->log[k - 1], e))
				return true;
		}
	return false;
}

/* What a step does to what it names: a value is replaced, or something is counted up or down. */
struct effect {
	uint64_t addr, before, after;
	int32_t count;
	uint32_t size; /* 0: it is counted */
};

/* False: it is nothing that could be restored. */
static inline bool effect_of(const struct event *e, struct effect *x)
{
	*x = (struct effect){ .addr = e->addr };
	switch (e->kind) {
	case LP_EV_WRITE:
		x->before = e->before;
		x->after = e->value[0];
		x->size = e->size;
		return !(e->flags & LP_SITE_NOVALUE);
	case LP_EV_RMW:
		x->before = e->before;
		x->after = e->value[1];
		x->size = e->size;
		return !(e->flags & LP_SITE_NOVALUE);
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
	case LP_EV_SEM_POST:
		x->count = 1;
		return true;
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
	case LP_EV_SEM_WAIT:
		x->count = -1;
		return true;
	default:
		return false;
	}
}

/* Adds what the earlier step did before to what is known of the round's later steps. */
static bool add_effect(struct effect *list, unsigned *n, struct effect x)
{
	for (unsigned i = 0; i < *n; i++) {
		if (list[i].addr == x.addr && list[i].size == x.size) {
			list[i].before = x.before;
			list[i].count += x.count;
			return true;
		}
		if (list[i].size && x.size && list[i].addr < x.addr + x.size &&
		    x.addr < list[i].addr + list[i].size)
			return false; /* parts of one another */
	}
	if (*n == MAX_RESTORED)
		return false;
	list[(*n)++] = x;
	return true;
}

/* A timed wait for a condition that ended by time: it has left the queue again, and released and
 * taken the mutex. */
static bool add_step(struct effect *list, unsigned *n, const struct event *e)
{
	struct effect x;

	if (!changes(e))
		return true;
	if (e->flags & LP_SITE_FUTEX)
		return e->kind == LP_EV_WAIT || e->kind == LP_EV_TIMEOUT
			       ? add_effect(list, n,
					    (struct effect){ .addr = lp_futex_queue(e->addr),
							     .count = e->kind == LP_EV_WAIT ? 1
											    : -1 })
			       : false;
	if (e->kind == LP_EV_WAIT)
		return add_effect(list, n, (struct effect){ .addr = e->addr, .count = 1 }) &&
		       add_effect(list, n, (struct effect){ .addr = e->addr2, .count = -1 });
	if (e->kind == LP_EV_TIMEOUT)
		return add_effect(list, n, (struct effect){ .addr = e->addr, .count = -1 });
	return effect_of(e, &x) && add_effect(list, n, x);
}

static bool all_restored(const struct effect *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i].count || list[i].before != list[i].after)
			return false;
	return true;
}

/* Has the fiber restored all that it has changed since log index `from`? */
static bool restored(const struct fiber *f, uint32_t from)
{
	struct effect list[MAX_RESTORED];
	unsigned n = 0;

	for (uint32_t k = f->rounds.own; k > from; k = rt->log[k - 1].own)
		if (!add_step(list, &n, &rt->log[k - 1]))
			return false;
	return all_restored(list, n);
}

static uint64_t value_hash(uint64_t addr, uint64_t value)
{
	return scatter(mix(addr, value + 1));
}

/*
 * The sum of these is the same at two points if what was changed between them is restored, as long
 * as nobody else writes there; then the thread has news. So it is known at once, nearly always, that
 * something is not restored.
 */
uint64_t change_of(const struct event *e)
{
	struct effect x;

	if (e->flags & LP_SITE_FUTEX)
		return e->kind == LP_EV_WAIT      ? value_hash(e->addr, 0)
		       : e->kind == LP_EV_TIMEOUT ? -value_hash(e->addr, 0)
						  : mix(e->seq, e->addr);
	if (e->kind == LP_EV_WAIT)
		return value_hash(e->addr, 0) - value_hash(e->addr2, 0);
	if (e->kind == LP_EV_TIMEOUT)
		return -value_hash(e->addr, 0);
	if (!effect_of(e, &x))
		return mix(e->seq, e->addr);
	if (!x.size)
		return (uint64_t)(int64_t)x.count * value_hash(e->addr, 0);
	return value_hash(x.addr, x.after) - value_hash(x.addr, x.before);
}

static void stop(struct fiber *f, uint64_t *set, uint32_t from)
{
	*set |= bit(f->id);
	f->rounds.from = from;
	f->rounds.arrived = rt->n;
}

static void restoring_round(struct fiber *f, uint32_t visit, uint32_t from)
{
	struct waiting *w = &rt->waiting;
	bool seen = touched(f, from);

	if (seen && rt->strategy->wakes) {
		w->woken = true;
		return;
	}
	if (++*visit_rounds(visit) > SEEN_ROUNDS) {
		stop(f, &w->stuck, from);
		w->bounded |= bit(f->id);
		if (seen) {
			w->redundant |= bit(f->id);
			limit_reached(LP_LIMIT_ROUNDS, &rt->log[f->rounds.own - 1]);
		}
	} else if (!seen) {
		stop(f, &w->delayed, from);
	}
}

static void pure_round(struct fiber *f, uint32_t from)
{
	struct waiting *w = &rt->waiting;
	bool seen = touched(f, from);

	if (seen && rt->strategy->wakes) {
		w->woken = true;
		return;
	}
	stop(f, &w->stuck, from);
	if (seen)
		w->redundant |= bit(f->id);
}

/* The bound on the steps of one thread; a smaller one holds while the process ends. */
static void steps_left(struct fiber *f)
{
	struct waiting *w = &rt->waiting;

	if (UNLIKELY(f->seq - f->before >= rt->config.max_steps)) {
		w->too_long |= bit(f->id);
		limit_reached(LP_LIMIT_STEPS, &rt->log[f->last_event]);
	}
	if (LIKELY(!rt->exiting) || rt->exiting & bit(f->id))
		return;
	if (!f->rounds.exit_seq)
		f->rounds.exit_seq = f->seq + 1;
	if (f->seq + 1 - f->rounds.exit_seq > AFTER_EXIT) {
		w->too_long |= bit(f->id);
		limit_reached(LP_LIMIT_EXIT, &rt->log[f->last_event]);
	}
}

void waiting_arrive(struct fiber *f)
{
	struct waiting *w = &rt->waiting;
	uint64_t me = bit(f->id);
	uint32_t visit, before;

	steps_left(f);
	if (UNLIKELY(rt->strategy->unruled))
		return;
	visit = visit_enter(f);
	/* A schedule that is given lets threads go on that are stuck. */
	if (UNLIKELY((w->stuck | w->delayed) & me)) {
		w->stuck &= ~me;
		w->bounded &= ~me;
		w->delayed &= ~me;
		w->redundant &= ~me;
	}
	f->rounds.visit = visit;
	before = visit ? visit_before(visit) : 0;
	if (LIKELY(!before) || loop_known(f->pending.pc) & LOOP_HIDDEN)
		return;
	for (unsigned i = 0; before && i < LOOK_BACK; i++, before = visit_before(before)) {
		uint32_t from = visit_at(before);
		bool pure = f->rounds.changed <= from;

		if (UNLIKELY(from < f->born)) /* another thread's that had its place */
			return;

		if ((!pure && !visit_may_be_restored(before, f)) || !visits_same(before, visit))
			continue;
		if (pure) {
			pure_round(f, from);
			return;
		}
		if (restored(f, from)) {
			*visit_rounds(visit) = *visit_rounds(before);
			restoring_round(f, visit, from);
			return;
		}
	}
}

/* `which` of the two rounds that may be asked for: 0, the one that it waits after, 1, the vain ones. */
static bool seen_in_round(const struct fiber *f, unsigned which, uint32_t from,
			  const struct event *e)
{
	if (UNLIKELY(f->rounds.own > from + LONG_ROUND) && !footprint_may_meet(f, which, from, e))
		return false;
	for (uint32_t k = f->rounds.own; k > from; k = rt->log[k - 1].own)
		if (sees(&rt->log[k - 1], e))
			return true;
	return false;
}

void waiting_notice(const struct event *e)
{
	struct waiting *w = &rt->waiting;
	uint64_t others = (w->stuck | w->delayed | w->vain) & ~bit(e->thread);

	for (; others; others &= others - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(others)];
		uint64_t me = bit(f->id);

		if ((w->stuck | w->delayed) & me && seen_in_round(f, 0, f->rounds.from, e)) {
			w->delayed &= ~me;
			if (rt->strategy->wakes && w->stuck & me) {
				w->woken = true;
				w->stuck &= ~me;
				w->bounded &= ~me;
			}
			if (w->stuck & me)
				w->redundant |= me;
			if (w->bounded & me)
				limit_reached(LP_LIMIT_ROUNDS, &rt->log[f->rounds.own - 1]);
		}
		if (w->vain & me && seen_in_round(f, 1, f->rounds.since, e))
			vain_again(f);
	}
}

uint64_t waiting_allows(uint64_t enabled)
{
	struct waiting *w = &rt->waiting;
	uint64_t others;

	if (UNLIKELY(w->off || w->all || rt->steps < w->given))
		return enabled;
	enabled &= ~(w->stuck | w->delayed | w->too_long);
	others = enabled & ~w->vain & ~rt->exiting;
	if (others)
		return others;
	/* Whatever others could still do before the process ends, they have done, but for what they
	 * do while they wait; an earlier end adds nothing but beginnings of the same executions. */
	if (rt->exiting && enabled & rt->exiting)
		return enabled & rt->exiting;
	return enabled;
}

bool waiting_for_time(uint64_t can)
{
	struct waiting *w = &rt->waiting;
	uint64_t wait = w->stuck | w->delayed | w->too_long;

	/* Those who go round in vain may go on, unless a handler can end that. */
	if (rt->takers || can & ~(wait | w->vain) || (can & ~wait && !interposing.interrupts()) ||
	    !interposing.time_passes())
		return false;
	w->stuck = w->delayed = w->bounded = w->vain = 0;
	return true;
}

/* These say "I wait", so others are the first choice; never the only one, for what they would not
 * see then may matter. */
static bool says_that_it_waits(const struct event *e)
{
	return e->kind == LP_EV_YIELD || e->kind == LP_EV_TRYLOCK_FAIL ||
	       e->kind == LP_EV_SEM_FAIL || e->kind == LP_EV_TIMEOUT;
}

uint64_t others_first(uint64_t enabled)
{
	const struct fiber *f = rt->cur;
	uint64_t others = enabled & ~bit(f->id);

	if (others && f->rounds.own && says_that_it_waits(&rt->log[f->rounds.own - 1]))
		return others;
	return enabled;
}

/* The one whose latest step is the oldest. */
static int longest_ago(uint64_t set)
{
	int id = __builtin_ctzll(set);

	for (; set; set &= set - 1)
		if (rt->fibers[__builtin_ctzll(set)].rounds.own < rt->fibers[id].rounds.own)
			id = __builtin_ctzll(set);
	return id;
}

/* When the fiber's next event would happen without us. */
static uint64_t moment_of(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	return f->due > f->now && !(p->wait && object_allows(f, p)) ? f->due : f->now;
}

#define ABOUT_THE_SAME 100 /* microseconds */

/* Where threads sleep and wait until a moment, those whose time has come: so things go as they most likely do without us.
 * The search sees to all other orders. */
static uint64_t due_first(uint64_t enabled)
{
	uint64_t first = UINT64_MAX, set = 0;

	for (uint64_t e = enabled; e; e &= e - 1) {
		uint64_t then = moment_of(&rt->fibers[__builtin_ctzll(e)]);

		if (then < first)
			first = then;
	}
	for (uint64_t e = enabled; e; e &= e - 1)
		if (moment_of(&rt->fibers[__builtin_ctzll(e)]) <= first + ABOUT_THE_SAME)
			set |= e & -e;
	return set;
}

int first_choice(uint64_t enabled)
{
	enabled = others_first(UNLIKELY(rt->slept) ? due_first(enabled) : enabled);
	if (LIKELY(enabled & bit(rt->cur->id)))
		return rt->cur->id;
	/* Two that wait may wake each other again and again, before a third that would end that. */
	return rt->waiting.vain | rt->waiting.delayed ? longest_ago(enabled)
						      : __builtin_ctzll(enabled);
}
