/* SPDX-License-Identifier: MIT
 *
 * How a step enters the log, and what follows from it once it has had its effect. Most steps of an execution
 * are those of the one before. What was derived from them is still there, so they are compared, and no more.
 */
#include "commit.h"
#include "heap.h"
#include "memory_errors.h"
#include "objects.h"
#include "observed.h"
#include "own_stack.h"
#include "owners.h"
#include "sched.h"
#include "shadow.h"
#include "share.h"
#include "steps.h"
#include "strategy.h"
#include "twins.h"
#include "words.h"

void diverged(const char *what)
{
	die("the program is not deterministic: in the same schedule it came to a different %s "
	    "(step %u of execution %u).\n"
	    "linchpin: does it use time, random numbers, uninitialised memory or a file that "
	    "changes? "
	    "Try --isolate=fork.",
	    what, (unsigned long)rt->steps, (unsigned long)rt->status->executions + 1);
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
	unsigned nparts;

	if (LIKELY(!event_has_parts(e))) {
		shadow_access(e->addr, e->size, e->access, index, e->thread, conflicts, n);
		return;
	}
	nparts = event_parts(e, parts);
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
	e->flags |= LP_SITE_SILENT;
	if (!rt->config.observers || !event_is_blind(e))
		e->access = LP_READS;
}

/* What the step has come after, and what it accesses, is found, or known from before. */
static __attribute__((noinline)) void derive(struct event *e, uint32_t index, struct fiber *f, bool crashed)
{
	uint32_t conflicts[MAX_FIBERS];
	unsigned n = 0;
	bool news = false;

	if (UNLIKELY(crashed))
		f->late_write = NO_EVENT;
	late_value(f);
	if (index < rt->prefix) {
		if ((e->access | e->reads_own) && index >= rt->entered)
			enter_accesses(e, index, conflicts, &n);
		news = join_clock(f->clock, rt->clocks[index], f->id);
		f->clock[f->id] = f->seq;
		f->now = e->time;
		f->busy = e->busy;
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
		f->busy++;
		for (unsigned i = 0; i < n; i++) {
			news |= join_clock(f->clock, rt->clocks[conflicts[i]], f->id);
			if (rt->log[conflicts[i]].time >= f->now)
				f->now = rt->log[conflicts[i]].time + 1;
			if (rt->log[conflicts[i]].busy >= f->busy)
				f->busy = rt->log[conflicts[i]].busy + 1;
		}
		e->time = f->now;
		e->busy = f->busy;
		f->clock[f->id] = f->seq;
		clock_copy(rt->clocks[index], f->clock);
		if (!rt->strategy->distinct)
			e->hash = (index ? rt->log[index - 1].hash : 0) + hash_step(e, f->clock);
	}
	e->news = news;
	if (index >= rt->entered)
		rt->entered = index + 1;
}

void settle_step(bool crashed)
{
	uint32_t index = rt->waiting.unsettled - 1;
	struct event *e = &rt->log[index];
	struct fiber *f = &rt->fibers[e->thread];

	rt->waiting.unsettled = 0;
	if (index < rt->kept && LIKELY(!crashed))
		settle_kept(f, e, index);
	else
		derive(e, index, f, crashed);
	settle_rounds(f, e, index);
	if (UNLIKELY(f->twins.next) && f->seq == 1)
		twins_stepped(f);
	if (LIKELY(!rt->waiting.off)) {
		if (UNLIKELY(rt->waiting.stuck | rt->waiting.delayed | rt->waiting.vain))
			waiting_notice(e);
		if (e->news || vain_counts(f, index))
			vain_notice(f, e);
	}
}

static void *settle_here(void *unused)
{
	settle_step(false);
	return NULL;
}

void settle_now(void)
{
	on_own_stack(settle_here, NULL);
}

static void commit_new(struct fiber *f, struct event *e, uint32_t index, int kind)
{
	const struct pending *p = &f->pending;

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
	e->available = kind == LP_EV_SEM_POST ? ((const struct sem_state *)p->addr)->value > 0
		       : p->wait	      ? object_allows(f, p)
					      : 0;
	e->block = 0;
	e->reads_own = p->own;
	e->measured = p->measured;
	locks_update(f, e, index);
}

/* The chosen fiber's event enters the log, as this kind; what it accesses can be read, or not. */
static __attribute__((noinline)) struct event *commit_as(struct fiber *f, int kind, bool readable)
{
	struct pending *p = &f->pending;
	uint32_t index = rt->n++;
	struct event *e = &rt->log[index];
	bool new = index >= rt->prefix;
	const char *error = NULL;
	unsigned outcome = 0;

	if (UNLIKELY(kind == LP_EV_TAKE)) { /* in place of what was announced */
		take_announced(f);
	} else if (UNLIKELY(p->wait == WAIT_SIGNAL)) {
		take_waited(f);
	}
	if (new)
		commit_new(f, e, index, kind);
	else
		commit_same(f, e, index, kind);
	if (new && lp_kind_access((unsigned)kind))
		error = in_heap(e->addr)     ? memory_error(e, &outcome)
			: in_stacks(e->addr) ? memory_of_ended(e, &outcome)
					     : NULL;
	if (UNLIKELY(rt->blocks))
		steps_commit(f, e);
	else
		e->glued = 0;
	made(f, index);
	rt->ready &= ~bit(f->id);
	rt->blocked &= ~bit(f->id);
	/* From here on it may crash: the step has happened. */
	if (new && readable && has_values(e)) {
		rt->accessing = 1;
		e->before = peek(e->addr, e->size);
		rt->accessing = 0;
	}
	if (UNLIKELY(error != NULL))
		end_memory_error(outcome, f, p->pc, p->context, e->addr, error);
	if (new && in_stacks(e->addr))
		stack_object(e);
	return debug_event(e);
}

struct event *commit(struct fiber *f)
{
	if (rt->n >= rt->kept)
		return commit_as(f, resolve(f), true);
	rt->ready &= ~bit(f->id);
	rt->blocked &= ~bit(f->id);
	return commit_again(f);
}

void step_crashed(void)
{
	if (rt->accessing == ACCESS_COMPARES)
		commit_as(rt->cur, rt->cur->pending.kind, false);
}

struct event *note_in_child(unsigned kind)
{
	static struct event e;

	e.kind = (uint8_t)kind;
	return &e;
}

struct noted {
	struct fiber *f;
	unsigned kind, other;
	uint64_t addr, pc;
	uint32_t context;
};

static void *note_here(void *noted)
{
	const struct noted *what = noted;
	struct fiber *f = what->f;
	struct event *e;

	if (!f->seq)
		twin_asks(f);
	e = &rt->log[rt->n];
	if (rt->n < rt->prefix && e->kind != what->kind)
		diverged("event");
	if (UNLIKELY(rt->n + MARGIN >= log_capacity()))
		end_cut();
	e->kind = (uint8_t)what->kind;
	e->flags = LP_SITE_NOVALUE;
	e->thread = f->id;
	e->addr = what->addr;
	e->addr2 = 0;
	e->size = 0;
	e->pc = what->pc;
	e->context = what->context;
	e->other = (uint8_t)what->other;
	e->block = 0;
	e->acquired = NO_EVENT;
	e->access = e->reads_own = 0;
	e->hash = rt->n ? rt->log[rt->n - 1].hash : 0;
	if (in_heap(e->addr))
		heap_name(e->addr, &e->block, &e->block_base);
	rt->n++;
	e->glued = 0;
	if (UNLIKELY(rt->blocks) && e->kind != LP_EV_EXIT)
		blocks_place(f, e);
	return debug_event(e);
}

struct event *note_at(struct fiber *f, unsigned kind, uint64_t addr, unsigned other, uint64_t pc,
		      uint32_t context)
{
	struct noted what = { f, kind, other, addr, pc, context };

	if (UNLIKELY(rt->child))
		return note_in_child(kind);
	return on_own_stack(note_here, &what);
}
