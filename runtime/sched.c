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
#include "fingerprint.h"
#include "local_state.h"
#include "heap.h"
#include "memory_errors.h"
#include "objects.h"
#include "observed.h"
#include "owners.h"
#include "services.h"
#include "shadow.h"
#include "share.h"
#include "steps.h"
#include "strategy.h"
#include "twins.h"
#include "words.h"

#define MARGIN 8 /* notes that an event may bring with it */

/* The same schedule must lead to the same events; anything else would make every claim of the
 * search void. */
static __attribute__((noreturn)) void diverged(const char *what)
{
	die("the program is not deterministic: in the same schedule it came to a different %s "
	    "(step %u of execution %u).\n"
	    "linchpin: does it use time, random numbers, uninitialised memory or a file that "
	    "changes? "
	    "Try --isolate=fork.",
	    what, (unsigned long)rt->steps, (unsigned long)rt->status->executions + 1);
}

static bool overlap(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	return a < b + nb && b < a + na;
}

bool events_conflict(const struct event *a, const struct event *b)
{
	struct part mine[MAX_PARTS], theirs[MAX_PARTS];
	unsigned n, m;

	if (a->kind == LP_EV_EXIT_ALL || b->kind == LP_EV_EXIT_ALL)
		return true;
	if (LIKELY(!a->addr2 && !b->addr2 && !((a->flags | b->flags) & LP_SITE_FUTEX) &&
		   !(a->reads_own | b->reads_own)))
		return lp_access_conflict(a->access, b->access) &&
		       overlap(a->addr, a->size, b->addr, b->size);
	n = event_parts(a, mine);
	m = event_parts(b, theirs);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++)
			if (lp_access_conflict(mine[i].access, theirs[k].access) &&
			    overlap(mine[i].addr, mine[i].size, theirs[k].addr, theirs[k].size))
				return true;
	return false;
}

void set_tracing(void)
{
	rt->tracing = (rt->unjoined > 0 || UNLIKELY(rt->sends & SENDS_ALONE)) && !rt->cur->loading;
	/* Once all threads are joined, nothing is an event, but freed memory may still be used. */
	rt->looking = rt->tracing || (rt->freed && !rt->cur->loading);
	rt->tls_traced = rt->tracing && rt->shared_tls[rt->cur->id].hi;
}

/* How many events are those of the execution before, in the same log: what is derived from them stays.
 * Children of --isolate=fork take with them what they derive. */
static uint32_t events_kept(void)
{
	static const struct event *log;
	bool same_log = rt->log == log;

	log = rt->log;
	return same_log && !rt->config.fork ? rt->prefix : 0;
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
	rt->passed = 0;
	rt->tracing = rt->looking = rt->freed = 0;
	rt->ended = rt->no_class = rt->cut = rt->judge = rt->broken_off = 0;
	waiting_reset(kept);
	rt->outcome.registers[STACK_SP] = 0;
	rt->entered = shadow_keep(kept < rt->entered ? kept : rt->entered);
	steps_reset();
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

/* Who goes on. Ends the execution if nobody can. */
static struct fiber *choose(void)
{
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
	rt->takers = UNLIKELY(rt->sends) ? takers() : 0;
	can = allowed() | rt->takers;
	set = waiting_allows(can) | rt->takers;
	if (UNLIKELY(rt->blocks == BLOCKS_ATOMIC)) {
		struct fiber *f = steps_next(can, set);

		if (f)
			return f;
		steps_over();
	}
	/* A schedule that is given was made where the rules for waiting were in force. */
	if (UNLIKELY(set && rt->steps < rt->waiting.given && !rt->takers) && waiting_all_wait(can) &&
	    interposing.time_passes())
		return choose();
	if (UNLIKELY(!set)) {
		if (twins_begin())
			return choose();
		if (interposing.time_passes())
			return choose();
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

/* Did anything come to it that its own thread, me, has not done? */
static bool join_clock(uint32_t *clock, const uint32_t *other, unsigned me)
{
	bool news = false;

	for (unsigned i = 0; i < rt->nfibers; i++)
		if (other[i] > clock[i]) {
			clock[i] = other[i];
			news |= i != me;
		}
	return news;
}

/* Enters what event e accesses, and adds what that conflicts with. */
static void enter_accesses(const struct event *e, uint32_t index, uint32_t *conflicts, unsigned *n)
{
	struct part parts[MAX_PARTS];
	unsigned nparts = event_parts(e, parts);

	for (unsigned i = 0; i < nparts; i++)
		shadow_access(parts[i].addr, parts[i].size, parts[i].access, index, e->thread,
			      conflicts, n);
}

static bool has_values(const struct event *e)
{
	return (e->kind == LP_EV_WRITE || e->kind == LP_EV_RMW) && !(e->flags & LP_SITE_NOVALUE);
}

/* What the latest step did: whether it changed anything. */
static void find_access(struct event *e, bool crashed)
{
	e->access = (uint8_t)lp_kind_access(e->kind);
	if (!has_values(e) || crashed)
		return;
	if (peek(e->addr, e->size) != e->before)
		return;
	e->access = LP_READS;
	e->flags |= LP_SITE_SILENT;
}

void settle_step(bool crashed)
{
	uint32_t index = rt->waiting.unsettled - 1, conflicts[MAX_FIBERS];
	struct event *e = &rt->log[index];
	struct fiber *f = &rt->fibers[e->thread];
	unsigned n = 0;
	bool news = false;

	rt->waiting.unsettled = 0;
	if (UNLIKELY(crashed))
		f->late_write = NO_EVENT;
	late_value(f);
	if (index < rt->prefix) {
		if ((e->access | e->reads_own) && index >= rt->entered)
			enter_accesses(e, index, conflicts, &n);
		news = join_clock(f->clock, rt->clocks[index], f->id);
		f->clock[f->id] = f->seq;
		f->now = e->time;
	} else {
		find_access(e, crashed);
		if (e->access | e->reads_own) {
			enter_accesses(e, index, conflicts, &n);
			rt->status->shared += n != 0;
		}
		if (UNLIKELY(rt->config.observers))
			observed_step(index, f->clock);
		if (rt->strategy->step)
			rt->strategy->step(index, conflicts, n, f->clock);
		f->now++;
		for (unsigned i = 0; i < n; i++) {
			news |= join_clock(f->clock, rt->clocks[conflicts[i]], f->id);
			if (rt->log[conflicts[i]].time >= f->now)
				f->now = rt->log[conflicts[i]].time + 1;
		}
		e->time = f->now;
		f->clock[f->id] = f->seq;
		copy(rt->clocks[index], f->clock, rt->nfibers * sizeof f->clock[0]);
		if (!rt->strategy->distinct)
			e->hash = (index ? rt->log[index - 1].hash : 0) + hash_step(e, f->clock);
	}
	if (index >= rt->entered)
		rt->entered = index + 1;
	if (e->access > LP_READS) {
		f->rounds.changed = index + 1;
		f->rounds.sum += change_of(e);
	}
	f->rounds.news += news;
	if (UNLIKELY(f->twins.next) && f->seq == 1)
		twins_stepped(f);
	if (LIKELY(!rt->waiting.off)) {
		if (UNLIKELY(rt->waiting.stuck | rt->waiting.delayed | rt->waiting.vain))
			waiting_notice(e);
		vain_notice(f, e, news);
	}
}

/* The chosen fiber's event enters the log, as this kind; what it accesses can be read, or not. */
static struct event *commit_as(struct fiber *f, int kind, bool readable)
{
	struct pending *p = &f->pending;
	uint32_t index = rt->n++;
	struct event *e = &rt->log[index];
	const char *error = NULL;
	unsigned outcome = 0;

	if (UNLIKELY(kind == LP_EV_TAKE)) { /* in place of what was announced */
		take_announced(f);
	} else if (UNLIKELY(p->wait == WAIT_SIGNAL)) {
		take_waited(f);
	}
	if (index < rt->prefix) {
		if (e->kind != kind || e->addr != p->addr || e->pc != p->pc || e->thread != f->id)
			diverged("event");
		f->seq = e->seq;
		if (e->acquired != NO_EVENT || kind == LP_EV_LOCK || kind == LP_EV_RDLOCK ||
		    kind == LP_EV_ONCE)
			locks_update(f, e, index);
	} else {
		e->kind = (uint8_t)kind;
		e->flags = p->flags;
		e->thread = f->id;
		e->wait = p->attempt ? WAIT_NOT : p->wait;
		e->addr = p->addr;
		e->addr2 = p->addr2;
		e->size = p->size;
		e->pc = p->pc;
		e->context = p->context;
		e->value[0] = e->value[1] = e->before = 0;
		e->other = 0;
		e->own = f->rounds.own;
		e->seq = ++f->seq;
		e->available = kind == LP_EV_SEM_POST
				       ? ((const struct sem_state *)p->addr)->value > 0
			       : p->wait ? object_allows(f, p)
					 : 0;
		e->block = 0;
		e->reads_own = p->own;
		if (lp_kind_access((unsigned)kind))
			error = in_heap(e->addr)		? memory_error(e, &outcome)
				: in_stacks(e->addr) ? memory_of_ended(e, &outcome)
						     : NULL;
		locks_update(f, e, index);
	}
	if (UNLIKELY(rt->blocks))
		steps_commit(f, e);
	else
		e->glued = 0;
	rt->waiting.unsettled = index + 1;
	f->rounds.own = index + 1;
	rt->ready &= ~bit(f->id);
	rt->blocked &= ~bit(f->id);
	f->last_event = index;
	rt->steps++;
	rt->progress++;
	/* From here on it may crash: the step has happened. */
	if (index >= rt->prefix && readable && has_values(e)) {
		rt->accessing = 1;
		e->before = peek(e->addr, e->size);
		rt->accessing = 0;
	}
	if (UNLIKELY(error != NULL))
		end_memory_error(outcome, f, p->pc, p->context, e->addr, error);
	if (index >= rt->prefix && in_stacks(e->addr))
		stack_object(e);
	return debug_event(e);
}

static struct event *commit(struct fiber *f)
{
	return commit_as(f, resolve(f), true);
}

void step_crashed(void)
{
	if (rt->accessing == ACCESS_COMPARES)
		commit_as(rt->cur, rt->cur->pending.kind, false);
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

/* The fiber's announced event, or what it takes instead. */
static struct event *step_once(struct fiber *f)
{
	uint64_t *entry = rt->entry;
	struct local_state state;
	struct fiber *next;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	settle();
	if (UNLIKELY(rt->blocks))
		steps_arrive(f);
	keep_entry(f);
	if (UNLIKELY(rt->config.poison) && f->pending.pc == rt->entry[ENTRY_PC])
		instrumentation.poison();
	if (sp < f->stack_low_seen && sp >= f->stack_lo)
		f->stack_low_seen = sp;
	if (UNLIKELY(f->aside.hi) && sp - f->aside.lo < ASIDE_LEAST)
		refuse("a handler on an alternate stack has less than %u bytes of that left, which the runtime needs: make "
		       "the stack larger (sigaltstack)",
		       (unsigned long)ASIDE_LEAST);
	if (f->pending.wait)
		rt->blocked |= bit(f->id);
	else
		rt->ready |= bit(f->id);
	if (UNLIKELY(f->pending.kind == LP_EV_EXIT_ALL))
		rt->exiting |= bit(f->id);
	if (UNLIKELY(rt->waiting.off)) {
		f->rounds.state = local_state_of(f, &state) ? local_state_hash(&state) : 0;
		if (f->locking && f->rounds.state) /* the same again is about to come */
			f->rounds.state = mix(f->rounds.state, f->pending.kind);
	} else if (LIKELY(!f->locking)) {
		waiting_arrive(f);
	}
	if (UNLIKELY(rt->strategy->stateful))
		fingerprint_stop(f, true);
	next = choose();
	if (next != f) {
		fiber_switch(next);
		rt->entry = entry;
	}
	return commit(f);
}

struct event *step(struct fiber *f)
{
	struct pending announced;
	struct event *e;

	if (LIKELY(!rt->sends))
		return step_once(f);
	announced = f->pending;
	for (;;) {
		e = step_once(f);
		if (e->kind != LP_EV_TAKE || take_sent(f, &announced))
			return e;
	}
}

struct event *note_at(struct fiber *f, unsigned kind, uint64_t addr, unsigned other, uint64_t pc,
		      uint32_t context)
{
	struct event *e;

	if (!f->seq)
		twin_asks(f);
	e = &rt->log[rt->n];
	if (rt->n < rt->prefix && e->kind != kind)
		diverged("event");
	if (UNLIKELY(rt->n + MARGIN >= log_capacity()))
		end_cut();
	e->kind = (uint8_t)kind;
	e->flags = LP_SITE_NOVALUE;
	e->thread = f->id;
	e->addr = addr;
	e->addr2 = 0;
	e->size = 0;
	e->pc = pc;
	e->context = context;
	e->other = (uint8_t)other;
	e->block = 0;
	e->acquired = NO_EVENT;
	e->access = e->reads_own = 0;
	e->hash = rt->n ? rt->log[rt->n - 1].hash : 0;
	if (in_heap(addr))
		heap_name(addr, &e->block, &e->block_base);
	rt->n++;
	e->glued = 0;
	if (UNLIKELY(rt->blocks) && kind != LP_EV_EXIT)
		blocks_place(f, e);
	return debug_event(e);
}

void schedule_blocked(void)
{
	struct fiber *f = rt->cur, *next;
	uint64_t *entry = rt->entry;

	settle();
	if (UNLIKELY(rt->strategy->stateful))
		fingerprint_stop(f, false);
	next = choose();
	if (next != f)
		fiber_switch(next);
	rt->entry = entry; /* our own call again, for the note that follows */
}

void schedule_away(void)
{
	settle();
	fiber_switch(choose());
	__builtin_unreachable();
}
