/* SPDX-License-Identifier: MIT
 *
 * What an outcome says beside the place: who waits for what, which memory it is about, what a misuse is in
 * conflict with.
 */
#include "waiters.h"
#include "trace.h"
#include "heap.h"
#include "memory.h"
#include "memory_errors.h"
#include "names.h"
#include "run_dir.h"
#include "stack.h"
#include "steps.h"
#include "state.h"
#include "strategy.h"
#include "closed.h"
#include "look.h"
#include "progress.h"

static unsigned holder_of(uint64_t addr)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		for (unsigned k = 0; k < rt->fibers[i].nheld; k++)
			if (rt->fibers[i].held[k].addr == addr)
				return i + 1;
	return 0;
}

uint64_t waiters_holders(uint64_t waiting)
{
	uint64_t holders = 0;

	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct pending *p = &rt->fibers[__builtin_ctzll(b)].pending;
		unsigned holder = p->wait == WAIT_JOIN ? 0 : holder_of(p->addr);

		if (holder)
			holders |= bit(holder - 1) & waiting;
	}
	return holders;
}

/* Nobody waits: which memory the outcome is about, and where it was allocated and freed. */
static unsigned find_memory(struct waiter *list)
{
	static const uint8_t why[] = { LP_WAIT_ALLOCATED, LP_WAIT_FREED };
	static const uint8_t kind[] = { LP_EV_ALLOC, LP_EV_FREE };
	uint32_t location = location_now(rt->outcome.addr) + 1;
	struct call_place places[2];
	unsigned n = memory_places(rt->outcome.addr, places);

	list[0] = (struct waiter){ rt->outcome.thread, 0, location, 0, LP_WAIT_NOTHING };
	for (unsigned i = 0; i < n; i++)
		list[i + 1] = (struct waiter){ places[i].thread,
					       intern_site(kind[i], LP_SITE_NOVALUE, 0, places[i].pc,
							   places[i].context) +
						       1,
					       location, 0, why[i] };
	return n + 1;
}

/* A misuse: of which object, and what it is in conflict with. */
static unsigned find_before(struct waiter *list)
{
	const struct outcome *o = &rt->outcome;
	uint32_t location = o->addr ? location_now(o->addr) + 1 : 0;

	list[0] = (struct waiter){ o->thread, 0, location, 0, LP_WAIT_NOTHING };
	if (!o->before_is)
		return 1;
	list[1] = (struct waiter){ o->before.thread,
				   intern_site(LP_EV_NONE, LP_SITE_NOVALUE, 0, o->before.pc - 1,
					       o->before.context) +
					   1,
				   location, 0, o->before_is };
	return 2;
}

static bool about_memory(unsigned kind)
{
	return kind == LP_OUT_USE_AFTER_FREE || kind == LP_OUT_BAD_FREE ||
	       kind == LP_OUT_OUT_OF_BOUNDS;
}

/* The sites of the thread's own among these steps, of a loop that it is in for ever. */
static unsigned spin_waiters(const struct fiber *f, const struct event *steps, uint32_t end,
			     struct waiter *list, unsigned most)
{
	uint64_t sites[16];
	unsigned n = 0, nsites = 0, k;

	for (uint32_t i = 0; i < end && n < most && nsites < 16; i++) {
		const struct event *e = &steps[i];

		if (e->thread != f->id || !event_is_step(e))
			continue;
		for (k = 0; k < nsites && sites[k] != (e->pc ^ e->addr); k++)
			;
		if (k < nsites)
			continue;
		sites[nsites++] = e->pc ^ e->addr;
		list[n++] = (struct waiter){ f->id, ids_of(e).site + 1,
					     e->access ? ids_of(e).location + 1 : 0, 0,
					     LP_WAIT_SPIN };
	}
	return n;
}

/* The loop is that of the closed set, or at least that of the round that the thread made. */
static unsigned loop_waiters(const struct fiber *f, struct waiter *list, unsigned most)
{
	const struct closed *closed = look_closed(rt->end_state);

	return spin_waiters(f, closed ? closed->steps : rt->log + f->rounds.from,
			    closed ? closed->n : f->rounds.arrived - f->rounds.from, list, most);
}

/* What the thread waits for in its next event. */
static struct waiter waiter_of(const struct fiber *f)
{
	static const uint8_t why[] = {
		[WAIT_MUTEX] = LP_WAIT_LOCK,      [WAIT_WRLOCK] = LP_WAIT_LOCK,
		[WAIT_RDLOCK] = LP_WAIT_LOCK,     [WAIT_COND] = LP_WAIT_CONDITION,
		[WAIT_SEM] = LP_WAIT_SEMAPHORE,   [WAIT_BARRIER] = LP_WAIT_BARRIER,
		[WAIT_ONCE] = LP_WAIT_ONCE,       [WAIT_SPINLOCK] = LP_WAIT_LOCK,
		[WAIT_FUTEX] = LP_WAIT_CONDITION, [WAIT_JOIN] = LP_WAIT_JOIN,
		[WAIT_SIGNAL] = LP_WAIT_SIGNAL,   [WAIT_HANDLER] = LP_WAIT_SIGNAL,
		[WAIT_CHANNEL] = LP_WAIT_CHANNEL,
	};
	const struct pending *inside = steps_waits(f), *p = inside ? inside : &f->pending;
	bool join = p->wait == WAIT_JOIN;

	return (struct waiter){
		.thread = f->id,
		.why = why[p->wait],
		.site = intern_site(p->kind, p->flags, p->size, p->pc, p->context) + 1,
		.location = join ? 0 : location_now(p->addr) + 1,
		.holder = join ? (unsigned)p->expected + 1 : holder_of(p->addr),
	};
}

/* Who cannot complete its operation. */
static unsigned find_victims(struct waiter *list, unsigned most)
{
	uint32_t nsteps;
	const struct event *steps = progress_loop(&nsteps);
	unsigned n = 0;

	for (unsigned i = 0; i < rt->nfibers && n < most; i++)
		n += spin_waiters(&rt->fibers[i], steps, nsteps, list + n, most - n);
	if (!n)
		list[n++] = waiter_of(&rt->fibers[progress_victim()]);
	return n;
}

/* Who waits for what: every thread of a deadlock or livelock that is not finished. */
unsigned waiters_find(struct waiter *list, unsigned most)
{
	unsigned n = 0;

	if (about_memory(rt->outcome.kind))
		return find_memory(list);
	if (rt->outcome.kind == LP_OUT_MISUSE)
		return find_before(list);
	if (rt->outcome.kind == LP_OUT_NO_PROGRESS)
		return find_victims(list, most);
	if (rt->outcome.kind != LP_OUT_DEADLOCK && rt->outcome.kind != LP_OUT_LIVELOCK)
		return 0;
	for (unsigned i = 0; i < rt->nfibers && n < most; i++) {
		const struct fiber *f = &rt->fibers[i];

		if (f->state == FIBER_FINISHED || f->serves)
			continue;
		if (rt->judge) {
			unsigned sites = loop_waiters(f, list + n, most - n);

			n += sites;
			if (sites)
				continue;
		}
		list[n++] = waiter_of(f);
	}
	return n;
}
