/* SPDX-License-Identifier: MIT
 *
 * Blocks in force: what they mean for the scheduler (blocks.c says which events are glued).
 *
 * *Atomic.* A thread goes on while its next event is glued to its latest one; that is no choice, and
 * for the search all of it is one step. A thread that would have to wait inside, for a lock, a
 * condition, the end of another thread, or a write in a loop, is not enabled in that order. Only
 * executing it shows that. Then the attempt ends, it is no execution; the thread is left out of the
 * choice at the beginning of its step (rt->barred), and the search goes on from there with others.
 * If nobody else is left, the program with these blocks is stuck, and that is an end like a deadlock.
 *
 * *Lock.* One lock for all blocks is taken before the first event of a step, and released after the
 * last, as two events like those of a mutex. Everything else is as without blocks.
 */
#include "steps.h"
#include "blocks.h"
#include "memory.h"
#include "objects.h"
#include "sched.h"
#include "strategy.h"

static struct pending *attempts; /* by fiber: where its latest attempt had to wait */

void steps_init(void)
{
	blocks_init();
	if (!rt->blocks)
		return;
	rt->barred = memory_get(log_capacity() * sizeof *rt->barred);
	attempts = memory_get(MAX_FIBERS * sizeof *attempts);
}

void steps_reset(void)
{
	rt->glued = 0;
	rt->stuck = 0;
	rt->head = NO_EVENT;
	zero(&rt->block_lock, sizeof rt->block_lock);
}

/* ---- lock ---- */

/* An event of the lock around blocks, before the one that the fiber has announced. */
static void lock_step(struct fiber *f, unsigned kind, uint64_t pc, uint32_t context)
{
	struct pending announced = f->pending;
	struct pending *p = &f->pending;

	zero(p, sizeof *p);
	p->kind = (uint8_t)kind;
	p->flags = LP_SITE_NOVALUE;
	p->wait = kind == LP_EV_LOCK ? WAIT_MUTEX : WAIT_NOT;
	p->size = 1;
	p->addr = (uint64_t)&rt->block_lock;
	p->pc = pc;
	p->context = context;
	f->locking = 1;
	step(f);
	settle();
	f->locking = 0;
	f->in_block = rt->block_lock.locked = kind == LP_EV_LOCK;
	f->pending = announced;
}

void steps_leave(struct fiber *f)
{
	if (f->in_block)
		lock_step(f, LP_EV_UNLOCK, f->place.pc, f->place.context);
}

static void lock_arrive(struct fiber *f)
{
	if (f->locking)
		return;
	if (f->in_block && !blocks_glued(f))
		steps_leave(f);
	if (!f->in_block && blocks_inside(f))
		lock_step(f, LP_EV_LOCK, f->pending.pc, f->pending.context);
}

/* ---- atomic ---- */

void steps_arrive(struct fiber *f)
{
	if (rt->blocks == BLOCKS_LOCK)
		lock_arrive(f);
	else if (!rt->glued && blocks_glued(f)) /* others may start or finish joins meanwhile */
		rt->glued = (uint8_t)(f->id + 1);
}

void steps_commit(struct fiber *f, struct event *e)
{
	if (f->locking)
		return;
	if (rt->blocks == BLOCKS_ATOMIC) {
		e->glued = rt->glued == f->id + 1;
		rt->glued = 0;
		if (!e->glued)
			rt->head = (uint32_t)(e - rt->log);
	}
	blocks_place(f, e);
}

/* The attempt is over; nothing of it counts but what it has shown. */
static __attribute__((noreturn)) void wait_inside(const struct fiber *f)
{
	attempts[f->id] = f->pending;
	rt->barred[rt->head] |= bit(f->id);
	rt->barred_to = rt->head; /* the next execution gets there again, if no strategy says otherwise */
	rt->aborted = 1;
	rt->status->attempts++;
	abandon_execution();
}

void steps_wait(struct fiber *f)
{
	if (rt->blocks == BLOCKS_LOCK) {
		lock_arrive(f);
	} else if (blocks_glued(f)) {
		if (rt->head < rt->prefix)
			die("internal error: a step that had to wait inside a block is executed again");
		wait_inside(f);
	} else {
		f->place.split = true;
	}
}

struct fiber *steps_next(uint64_t can, uint64_t set)
{
	struct fiber *f;
	uint64_t me;

	if (!rt->glued)
		return NULL;
	f = &rt->fibers[rt->glued - 1];
	me = bit(f->id);
	if (rt->n < rt->prefix)
		return f;
	if (UNLIKELY(rt->waiting.too_long & me && !rt->waiting.all))
		end_cut();
	if (!(can & me) || (!(set & me) && (rt->waiting.stuck | rt->waiting.delayed) & me))
		wait_inside(f);
	rt->enabled[rt->n] = me;
	if (rt->config.search == LP_SEARCH_REPLAY)
		rt->strategy->pick(me);
	return f;
}

static __attribute__((noreturn)) void end_stuck(uint64_t barred)
{
	const struct fiber *f = &rt->fibers[__builtin_ctzll(barred)];
	struct text t = { 0 };
	struct fiber at = *f;
	const char *name;

	at.pending = attempts[f->id];
	name = blocks_name(&at);
	text_add(&t, "with these blocks nobody can go on: the block %s waits inside%c",
		 name ? name : "", '\0');
	rt->stuck = barred;
	end_execution(LP_OUT_DEADLOCK, 0, 0, t.s);
}

uint64_t steps_allow(uint64_t set)
{
	uint64_t barred;

	if (rt->n > rt->barred_to)
		rt->barred[rt->n] = 0;
	barred = rt->barred[rt->n] & set;
	if (barred && barred == set)
		end_stuck(barred);
	return set & ~barred;
}

/* What a thread joins at once behind its last event is before its next step, but not before this one. */
static const uint32_t *clock_of_step(void)
{
	uint32_t last = rt->head;

	for (uint32_t k = rt->head + 1; k < rt->n; k++)
		if (event_is_step(&rt->log[k]) && rt->log[k].glued)
			last = k;
	return rt->clocks[last];
}

/* Threads that the step has made begin after all of it. */
static void give_to_children(const uint32_t *clock)
{
	for (unsigned u = 0; u < rt->nfibers; u++) {
		struct fiber *f = &rt->fibers[u];

		if (f->born <= rt->head || f->id == rt->log[rt->head].thread)
			continue;
		for (unsigned i = 0; i < rt->nfibers; i++)
			if (clock[i] > f->clock[i])
				f->clock[i] = clock[i];
	}
}

void steps_over(void)
{
	const uint32_t *clock;

	if (rt->head == NO_EVENT)
		return;
	clock = clock_of_step();
	if (rt->head >= rt->prefix && rt->strategy->whole)
		rt->strategy->whole(rt->head, rt->n);
	for (uint32_t k = rt->head; k < rt->n && rt->head >= rt->prefix; k++)
		if (rt->clocks[k] != clock)
			for (unsigned i = 0; i < rt->nfibers; i++)
				rt->clocks[k][i] = clock[i];
	give_to_children(clock);
	rt->head = NO_EVENT;
}

const struct pending *steps_waits(const struct fiber *f)
{
	return rt->stuck & bit(f->id) ? &attempts[f->id] : NULL;
}
