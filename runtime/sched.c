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
#include "heap.h"
#include "memory_errors.h"
#include "objects.h"
#include "services.h"
#include "shadow.h"
#include "strategy.h"

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

static bool compares_equal(const struct pending *p)
{
	bool yes;

	rt->accessing = 1;
	if (p->size == 16)
		yes = ((volatile uint64_t *)p->addr)[0] == p->expected &&
		      ((volatile uint64_t *)p->addr)[1] == p->expected_high;
	else if (p->size == 1 || p->size == 2 || p->size == 4 || p->size == 8)
		yes = peek(p->addr, p->size) == p->expected;
	else
		yes = same((void *)p->addr, (void *)p->expected, p->size);
	rt->accessing = 0;
	return yes;
}

int resolve(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	if (p->compare && p->flags & LP_SITE_FUTEX) /* only if the word is as expected */
		return compares_equal(p) ? p->kind : LP_EV_READ;
	if (p->compare)
		return compares_equal(p) ? LP_EV_RMW : LP_EV_CAS_FAIL;
	if (p->kind == LP_EV_ONCE && *(const int *)p->addr == ONCE_DONE)
		return LP_EV_READ; /* those who come later do not get in each other's way */
	if (!p->attempt || object_allows(f, p))
		return p->kind;
	switch (p->kind) {
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
		return LP_EV_TRYLOCK_FAIL;
	case LP_EV_SEM_WAIT:
		return LP_EV_SEM_FAIL;
	case LP_EV_WAKE:
		return LP_EV_TIMEOUT;
	default:
		return p->kind;
	}
}

static bool overlap(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	return a < b + nb && b < a + na;
}

static bool futex_dependent(const struct pending *p, int kind, const struct event *e)
{
	struct part mine[MAX_PARTS], theirs[MAX_PARTS];
	unsigned n = event_parts((unsigned)kind, p->flags, p->addr, p->size, p->addr2, mine);
	unsigned m = event_parts(e->kind, e->flags, e->addr, e->size, e->addr2, theirs);

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++)
			if ((mine[i].write || theirs[k].write) &&
			    overlap(mine[i].addr, mine[i].size, theirs[k].addr, theirs[k].size))
				return true;
	return false;
}

bool dependent(const struct pending *p, int kind, const struct event *e)
{
	int mine = lp_kind_access((unsigned)kind), theirs = lp_kind_access(e->kind);

	if (kind == LP_EV_EXIT_ALL || e->kind == LP_EV_EXIT_ALL)
		return true;
	if (!mine || !theirs || mine + theirs < 3)
		return false;
	if (UNLIKELY((p->flags | e->flags) & LP_SITE_FUTEX))
		return futex_dependent(p, kind, e);
	return overlap(p->addr, p->size, e->addr, e->size) ||
	       (p->addr2 && overlap(p->addr2, 1, e->addr, e->size)) ||
	       (e->addr2 && overlap(p->addr, p->size, e->addr2, 1)) ||
	       (p->addr2 && p->addr2 == e->addr2);
}

void set_tracing(void)
{
	rt->tracing = rt->unjoined > 0 && !rt->cur->loading;
	rt->tls_traced = rt->tracing && rt->shared_tls[rt->cur->id].hi;
}

void sched_reset(void)
{
	rt->n = rt->steps = 0;
	rt->ready = rt->blocked = rt->eager = rt->spinning = rt->exiting = 0;
	rt->unjoined = 0;
	rt->ncalls = 0;
	rt->tracing = 0;
	rt->ended = rt->no_class = 0;
	rt->outcome.registers[STACK_SP] = 0;
	shadow_reset();
}

static uint64_t enabled_set(bool again_time_out)
{
	uint64_t set = rt->ready & ~rt->spinning;

	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(b)];
		const struct pending *p = &f->pending;

		if (object_allows(f, p) ||
		    (p->attempt && (p->kind != LP_EV_WAKE || !f->timeouts || again_time_out)))
			set |= bit(f->id);
	}
	/* Whatever others could still do before the process ends, they have done; an earlier end
	 * adds nothing but beginnings of the same executions. */
	if (UNLIKELY(rt->exiting) && (set & ~rt->exiting))
		set &= ~rt->exiting;
	return set;
}

static uint64_t enabled(void)
{
	uint64_t set = enabled_set(false);

	if (UNLIKELY(!set)) {
		/* What was held back so that a loop does not go round for ever may go on when
		 * nobody else can. */
		set = enabled_set(true);
		if (set)
			rt->status->limits |= LP_LIMIT_TIMEOUTS;
		else if (spin_release_guesses())
			set = enabled_set(true);
	}
	return set;
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
	uint64_t set;
	int id;

	if (rt->eager) {
		id = __builtin_ctzll(rt->eager);
		rt->eager &= ~bit((unsigned)id);
		return &rt->fibers[id];
	}
	if (UNLIKELY(rt->steps >= rt->config.max_steps)) {
		rt->status->limits |= LP_LIMIT_STEPS;
		/* A thread that works for ever in the background does not keep the process from
		 * ending. */
		if (rt->exiting)
			end_execution(LP_OUT_OK, 0, 0, NULL);
		end_execution(LP_OUT_ENDLESS, (int64_t)rt->config.max_steps, rt->cur->pending.pc,
			      "the bound on steps of one execution");
	}
	set = enabled();
	if (UNLIKELY(!set)) {
		if (!anybody_left())
			end_execution(LP_OUT_OK, 0, 0, NULL);
		end_blocked();
	}
	if (rt->n < rt->prefix) {
		if (rt->log[rt->n].kind > LP_EV_LAST_STEP || rt->enabled[rt->n] != set)
			diverged("choice");
		return &rt->fibers[rt->log[rt->n].thread];
	}
	if (rt->n == rt->prefix && rt->choice >= 0) {
		if (!(set & bit((unsigned)rt->choice)))
			diverged("choice");
		return &rt->fibers[rt->choice];
	}
	rt->enabled[rt->n] = set;
	id = rt->strategy->pick(set);
	if (id < 0) {
		rt->no_class = 1;
		end_execution(LP_OUT_OK, 0, 0, NULL);
	}
	return &rt->fibers[id];
}

static void join_clock(uint32_t *clock, const uint32_t *other)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

static void copy_clock(uint32_t *to, const uint32_t *from)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		to[i] = from[i];
}

/* Locks held, and the steps that acquired them: the search needs to know which acquisition a
 * release ends. */
static void held_update(struct fiber *f, struct event *e, uint32_t index)
{
	uint64_t released = e->kind == LP_EV_WAIT ? e->addr2 : e->addr;

	e->acquired = NO_EVENT;
	switch (e->kind) {
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
	case LP_EV_ONCE:
		if (f->nheld < MAX_HELD)
			f->held[f->nheld++] = (struct held){ e->addr, index };
		return;
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
	case LP_EV_WAIT:
		break;
	default:
		return;
	}
	for (unsigned k = 0; k < rt->nfibers; k++) {
		struct fiber *h = &rt->fibers[(f->id + k) % rt->nfibers];

		for (unsigned i = h->nheld; i-- > 0;) {
			if (h->held[i].addr != released)
				continue;
			e->acquired = h->held[i].index;
			h->held[i] = h->held[--h->nheld];
			return;
		}
	}
}

/* Enters what event e accesses, and adds what that conflicts with. */
static void enter_accesses(const struct event *e, uint32_t index, uint32_t *conflicts, unsigned *n)
{
	struct part parts[MAX_PARTS];
	unsigned nparts = event_parts(e->kind, e->flags, e->addr, e->size, e->addr2, parts);

	for (unsigned i = 0; i < nparts; i++)
		shadow_access(parts[i].addr, parts[i].size, parts[i].write, index, e->thread,
			      conflicts, n);
}

/* The chosen fiber's event enters the log. */
static struct event *commit(struct fiber *f)
{
	struct pending *p = &f->pending;
	uint32_t index = rt->n++;
	struct event *e = &rt->log[index];
	int kind = resolve(f), access = lp_kind_access((unsigned)kind);
	uint32_t conflicts[MAX_FIBERS];
	const char *error = NULL;
	unsigned n = 0, outcome = 0;

	if (index < rt->prefix) {
		if (e->kind != kind || e->addr != p->addr || e->pc != p->pc || e->thread != f->id)
			diverged("event");
		if (access)
			enter_accesses(e, index, conflicts, &n);
		copy_clock(f->clock, rt->clocks[index]);
		f->seq = e->seq;
		if (e->acquired != NO_EVENT || kind == LP_EV_LOCK || kind == LP_EV_RDLOCK ||
		    kind == LP_EV_ONCE)
			held_update(f, e, index);
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
		e->value[0] = e->value[1] = 0;
		e->other = 0;
		e->seq = ++f->seq;
		e->available = kind == LP_EV_SEM_POST
				       ? ((const struct sem_state *)p->addr)->value > 0
			       : p->wait ? object_allows(f, p)
					 : 0;
		e->block = 0;
		if (access && in_heap(e->addr)) {
			heap_name(e->addr, &e->block, &e->block_base);
			error = memory_error(e, &outcome);
		}
		held_update(f, e, index);
		if (access) {
			enter_accesses(e, index, conflicts, &n);
			rt->status->shared += n != 0;
		}
		if (rt->strategy->step)
			rt->strategy->step(index, conflicts, n, f->clock);
		for (unsigned i = 0; i < n; i++)
			join_clock(f->clock, rt->clocks[conflicts[i]]);
		f->clock[f->id] = f->seq;
		copy_clock(rt->clocks[index], f->clock);
		if (!rt->strategy->distinct) {
			uint64_t h = mix(mix(e->kind, e->addr), (uint64_t)f->id << 32 | e->size);

			for (unsigned i = 0; i < rt->nfibers; i++)
				if (f->clock[i])
					h = mix(h, f->clock[i] + ((uint64_t)i << 32));
			e->hash = (index ? rt->log[index - 1].hash : 0) + h;
		}
	}
	rt->ready &= ~bit(f->id);
	rt->blocked &= ~bit(f->id);
	f->last_event = index;
	rt->steps++;
	rt->progress++;
	if (UNLIKELY(error != NULL))
		end_memory_error(outcome, f, p->pc, p->context, e->addr, error);
	if (UNLIKELY(rt->spinning) && access == 2)
		spin_wake(e);
	return e;
}

struct event *step(struct fiber *f)
{
	struct fiber *next;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

	late_value(f);
	if (UNLIKELY(rt->config.poison) && f->pending.pc == rt->entry[ENTRY_PC])
		instrumentation.poison();
	if (sp < f->stack_low_seen && sp >= f->stack_lo)
		f->stack_low_seen = sp;
	if (f->pending.wait)
		rt->blocked |= bit(f->id);
	else
		rt->ready |= bit(f->id);
	if (UNLIKELY(f->pending.kind == LP_EV_EXIT_ALL))
		rt->exiting |= bit(f->id);
	if (spin_check(f))
		rt->spinning |= bit(f->id);
	if (UNLIKELY(rt->strategy->stateful))
		fingerprint_stop(f);
	next = choose();
	if (next != f)
		fiber_switch(next);
	return commit(f);
}

struct event *note(struct fiber *f, unsigned kind, uint64_t addr, unsigned other)
{
	struct event *e = &rt->log[rt->n];

	context_now(f);
	if (rt->n < rt->prefix && e->kind != kind)
		diverged("event");
	if (UNLIKELY(rt->n + 8 >= rt->config.max_steps * 2))
		end_execution(LP_OUT_ENDLESS, (int64_t)rt->config.max_steps, 0,
			      "the bound on events of one execution");
	e->kind = (uint8_t)kind;
	e->flags = LP_SITE_NOVALUE;
	e->thread = f->id;
	e->addr = addr;
	e->addr2 = 0;
	e->size = 0;
	e->pc = kind == LP_EV_EXIT ? 0 : f->pending.pc;
	e->context = kind == LP_EV_EXIT ? 0 : f->context;
	e->other = (uint8_t)other;
	e->block = 0;
	e->acquired = NO_EVENT;
	e->hash = rt->n ? rt->log[rt->n - 1].hash : 0;
	if (in_heap(addr))
		heap_name(addr, &e->block, &e->block_base);
	rt->n++;
	return e;
}

void schedule_blocked(void)
{
	struct fiber *f = rt->cur, *next;
	uint64_t *entry = rt->entry;

	late_value(f);
	if (UNLIKELY(rt->strategy->stateful))
		fingerprint_stop(f);
	next = choose();
	if (next != f)
		fiber_switch(next);
	rt->entry = entry; /* our own call again, for the note that follows */
}

void schedule_away(void)
{
	fiber_switch(choose());
	__builtin_unreachable();
}
