/* SPDX-License-Identifier: MIT
 *
 * The scheduler. A fiber announces its next event, somebody is chosen, and whoever is chosen does
 * its event and runs on to its next one. There is no scheduler stack: the choice is made on the
 * stack of the fiber that stopped, and control passes only if another one was chosen.
 *
 * The start of a thread and a join whose thread has finished commute with everything, so they are
 * not choices: such fibers are *eager* and run before any choice is made. At a choice, therefore,
 * every fiber has announced its next event.
 */
#include "sched.h"
#include "commit.h"
#include "fingerprint.h"
#include "left.h"
#include "local_state.h"
#include "objects.h"
#include "own_stack.h"
#include "owners.h"
#include "services.h"
#include "shadow.h"
#include "steps.h"
#include "strategy.h"
#include "twins.h"

/* How many events are those of the execution before, in the same log: what is derived from them stays.
 * Children of --isolate=fork take with them what they derive. */
static uint32_t events_kept(void)
{
	static const struct event *log;
	bool same_log = rt->log == log;

	log = rt->log;
	return same_log && !rt->config.fork ? rt->prefix : 0;
}

/* Nothing is in force that has to see each step again. */
static bool nothing_looks(void)
{
	return !(rt->blocks | rt->sends | rt->waiting.off | rt->waiting.given | rt->config.poison | rt->strategy->stateful);
}

void sched_reset(void)
{
	uint32_t kept = events_kept();

	rt->n = rt->steps = 0;
	rt->instr.tail_sp = 0;
	rt->ready = rt->blocked = rt->eager = rt->unborn = rt->exiting = 0;
	rt->unjoined = rt->nsignals = rt->nsent = 0;
	owners_reset();
	rt->ncalls = 0;
	rt->passed = rt->slept = rt->forked = 0;
	rt->reaped = 0;
	rt->tracing = rt->looking = rt->freed = 0;
	rt->main_returned = false;
	rt->reading_text = 0;
	rt->ended = rt->no_class = rt->cut = rt->judge = rt->broken_off = 0;
	waiting_reset(kept);
	rt->outcome.registers[STACK_SP] = 0;
	rt->entered = shadow_keep(kept < rt->entered ? kept : rt->entered);
	steps_reset();
	/* What is not entered any more is entered when it is settled anew. */
	rt->kept = nothing_looks() && kept <= rt->entered ? kept : 0;
}

/* Those whose own next event may happen. */
static uint64_t allowed(void)
{
	uint64_t set = rt->ready;

	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(b)];
		const struct pending *p = &f->pending;

		if (p->attempt || object_allows(f, p))
			set |= bit(f->id);
	}
	return set;
}

uint64_t sched_enabled(void)
{
	return UNLIKELY(rt->sends) ? allowed() | takers() : allowed();
}

static bool anybody_left(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].state != FIBER_FINISHED)
			return true;
	return false;
}

static inline bool nobody_waits(void)
{
	const struct waiting *w = &rt->waiting;

	return LIKELY(!(w->stuck | w->delayed | w->vain | w->too_long | rt->exiting));
}

/* Of those who can, without who waits in a loop. */
static inline uint64_t may_go(uint64_t can)
{
	return nobody_waits() ? can : waiting_allows(can);
}

/* Who went on here in the execution before, if nothing but the steps since then says who can: these are compared. */
static inline struct fiber *chosen_before(void)
{
	const struct event *e = &rt->log[rt->n];

	return rt->n < rt->kept && nobody_waits() && rt->ready & bit(e->thread) && event_is_step(e) ? &rt->fibers[e->thread]
												    : NULL;
}

/* Who goes on. Ends the execution if nobody can. */
static struct fiber *choose(void)
{
	struct fiber *before;
	uint64_t can, set;
	int id;

	if (rt->eager) {
		id = __builtin_ctzll(rt->eager);
		rt->eager &= ~bit((unsigned)id);
		return &rt->fibers[id];
	}
	if (UNLIKELY(rt->need_restart | rt->need_again | (rt->late & rt->searching)))
		abandon_execution();
	if (UNLIKELY(rt->n + MARGIN >= log_capacity()))
		end_cut();
	for (uint64_t b = rt->reading_text; UNLIKELY(b); b &= b - 1)
		instrumentation.text_refresh(&rt->fibers[__builtin_ctzll(b)]);
	before = chosen_before();
	if (before)
		return before;
	rt->takers = UNLIKELY(rt->sends) ? takers() : 0;
	can = allowed() | rt->takers;
	set = may_go(can) | rt->takers;
	if (UNLIKELY(rt->blocks == BLOCKS_ATOMIC)) {
		struct fiber *f = steps_next(can, set);

		if (f)
			return f;
		steps_over();
	}
	if (UNLIKELY(!set) && twins_begin())
		return choose();
	if (UNLIKELY(!set || rt->sends & SENDS_SIGNALS || rt->steps < rt->waiting.given) && waiting_for_time(can))
		return choose();
	if (UNLIKELY(!set)) {
		if (can)
			end_waiting(can);
		if (!anybody_left())
			end_execution(LP_OUT_OK, 0, 0, NULL);
		end_blocked();
	}
	if (rt->n < rt->prefix) {
		if (!event_is_step(&rt->log[rt->n]) || rt->enabled[rt->n] != set)
			diverged("choice");
		return &rt->fibers[rt->log[rt->n].thread];
	}
	if (rt->n == rt->prefix && rt->choice >= 0) {
		if (!(can & bit((unsigned)rt->choice)))
			diverged("choice");
		return &rt->fibers[rt->choice];
	}
	rt->enabled[rt->n] = set;
	if (UNLIKELY(rt->blocks == BLOCKS_ATOMIC))
		set = steps_allow(set);
	id = rt->strategy->pick(set);
	if (id < 0) {
		rt->no_class = 1;
		end_execution(LP_OUT_OK, 0, 0, NULL);
	}
	return &rt->fibers[id];
}

/* Where the fiber entered the runtime for the event that it has announced. Nothing is known of the
 * state of one that works on another stack. */
static void keep_entry(struct fiber *f)
{
	struct rounds *r = &f->rounds;

	r->entry = (uintptr_t)rt->entry - f->stack_lo < f->stack_hi - f->stack_lo ? rt->entry
										  : NULL;
	r->site = rt->instr.full == rt->entry ? rt->instr.site : NULL;
	r->red_zone = r->site ? (uint32_t)rt->instr.skip : 0;
	r->element = r->site ? rt->instr.element : 0;
}

/* No state is kept, and no bound reached. */
static inline bool arrives_quietly(struct fiber *f)
{
	const struct waiting *w = &rt->waiting;

	if (rt->n >= w->quiet || (w->stuck | w->delayed) & bit(f->id) || rt->exiting || f->seq - f->before >= rt->config.max_steps)
		return false;
	f->rounds.visit = 0;
	return true;
}

/* The step was made in the execution before, too, by the fiber that runs, and no rule lets others go first. Since it was
 * chosen only it has run, and what it did is compared, so who else could run is not looked at. */
static inline bool goes_on(const struct fiber *f)
{
	return rt->n < rt->kept && rt->log[rt->n].thread == f->id && !rt->eager && !f->pending.wait &&
	       f->pending.kind != LP_EV_EXIT_ALL && nobody_waits();
}

static __attribute__((noinline)) void keep_state(struct fiber *f)
{
	struct local_state state;

	f->rounds.state = local_state_of(f, &state) ? local_state_hash(&state) : 0;
	if (f->locking && f->rounds.state) /* the same again is about to come */
		f->rounds.state = mix(f->rounds.state, f->pending.kind);
}

/* The fiber has announced an event, and somebody is chosen; returns when it is the fiber. */
static __attribute__((noinline)) void wait_for_turn(struct fiber *f)
{
	uint64_t *entry = rt->entry;
	struct fiber *next;

	if (UNLIKELY(rt->config.poison) && f->pending.pc == rt->entry[ENTRY_PC])
		instrumentation.poison();
	if (f->pending.wait)
		rt->blocked |= bit(f->id);
	else
		rt->ready |= bit(f->id);
	if (UNLIKELY(f->pending.kind == LP_EV_EXIT_ALL))
		rt->exiting |= bit(f->id);
	if (UNLIKELY(rt->waiting.off))
		keep_state(f);
	else if (LIKELY(!f->locking) && !arrives_quietly(f))
		waiting_arrive(f);
	if (UNLIKELY(rt->strategy->stateful))
		fingerprint_stop(f, true);
	next = goes_on(f) ? f : choose();
	if (next != f) {
		fiber_switch(next);
		rt->entry = entry;
	}
}

/* The fiber's announced event, or what it takes instead. */
static void *step_here(void *fiber)
{
	struct fiber *f = fiber;

	if (!settle_quietly())
		settle();
	if (UNLIKELY(rt->blocks))
		steps_arrive(f);
	keep_entry(f);
	if (LIKELY(goes_on(f)) && arrives_quietly(f))
		return commit_again(f);
	wait_for_turn(f);
	return commit(f);
}

static inline struct event *step_once(struct fiber *f)
{
	uintptr_t sp = stack_pointer_now();

	if (sp < f->stack_low_seen && sp >= f->stack_lo)
		f->stack_low_seen = sp;
	fiber_has_room(f, sp);
	if (UNLIKELY(rt->config.left))
		left_look(f);
	return on_own_stack(step_here, f);
}

static __attribute__((noreturn)) void child_waits(void)
{
	die("a child of fork goes on waiting for a thread that it does not have: children are not explored. Let it exec a "
	    "program of its own, and explore that one");
}

/* A handler has forked, and this is the child, in a call that its thread was in. There it is alone, so it makes its steps, or
 * nobody ends its wait. */
static struct event *step_in_child(const struct fiber *f)
{
	if (f->pending.wait && !object_allows(f, &f->pending))
		child_waits();
	return note_in_child(f->pending.kind);
}

struct event *step(struct fiber *f)
{
	struct pending announced;
	struct event *e;

	if (LIKELY(!(rt->sends | rt->child)))
		return step_once(f);
	if (UNLIKELY(rt->child))
		return step_in_child(f);
	announced = f->pending;
	for (;;) {
		e = step_once(f);
		if (e->kind != LP_EV_TAKE || take_sent(f, &announced))
			return e;
		if (UNLIKELY(rt->child))
			return step_in_child(f);
	}
}

static void *blocked_here(void *fiber)
{
	struct fiber *f = fiber, *next;
	uint64_t *entry = rt->entry;

	if (UNLIKELY(rt->child))
		child_waits();
	settle();
	if (UNLIKELY(rt->strategy->stateful))
		fingerprint_stop(f, false);
	next = choose();
	if (next != f)
		fiber_switch(next);
	rt->entry = entry; /* our own call again, for the note that follows */
	return NULL;
}

void schedule_blocked(void)
{
	on_own_stack(blocked_here, rt->cur);
}

static void *away_here(void *unused)
{
	settle();
	fiber_switch(choose());
	__builtin_unreachable();
}

void schedule_away(void)
{
	on_own_stack(away_here, NULL);
	__builtin_unreachable();
}
