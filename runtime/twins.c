/* SPDX-License-Identifier: MIT
 *
 * Twins are threads that one thread has created one after the other, without a step of its own between, with the same
 * function and argument. If everything else is the same for them, any execution is one again when they change places.
 * So it is enough to explore those in which they make their first steps in the order of their creation.
 *
 * That is a program of its own, in which each twin but the first is created by the first step of the one before it; and
 * so it is explored: until then it has not begun, and its clock has that step. Each search finds all of that
 * program. Every execution of the real one is one of that program when its twins have changed places. (Two of that
 * program may still be one in two forms: whose first steps do not conflict could have made them in the other order.)
 *
 * If a twin never makes a first step, because it waits for ever, the others would wait as well, so they begin when
 * nobody else can go on. What is recorded is an execution of the real program, and is executed again as one.
 *
 * Twins differ
 * - for who creates them, unless it joins all of them or none, without a step between that others could see, and gets
 *   the same from each;
 * - for who uses their handles otherwise;
 * - if they ask who they are, or get what is not the same for each: random numbers, addresses of the heap, threads
 *   of their own.
 * When that is seen, the search begins again, with each order. A thread that looks at the numbers of its own
 * addresses, of its stack or of thread-local variables, is not seen. So this is never done unless it is asked for.
 */
#include "twins.h"
#include "sched.h"

static bool same_beginning(const struct fiber *a, const struct fiber *b)
{
	if (a->start != b->start || a->arg != b->arg || a->now != b->now || a->detached != b->detached ||
	    a->stack_asked != b->stack_asked || a->guard != b->guard || a->given_stack || b->given_stack ||
	    a->mask != b->mask || a->policy != b->policy || a->priority != b->priority || a->ncpus != b->ncpus ||
	    !same(a->cpus, b->cpus, sizeof a->cpus))
		return false;
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (i != a->id && i != b->id && a->clock[i] != b->clock[i])
			return false;
	return true;
}

void twins_created(struct fiber *f)
{
	struct fiber *before = &rt->fibers[f->id - 1];

	twin_asks(rt->cur);
	rt->eager |= bit(f->id);
	f->twins.creator = rt->cur->seq;
	if (!rt->config.symmetry || rt->sends || f->lives || before->lives || before->state != FIBER_START ||
	    before->parent != f->parent || before->twins.creator != f->twins.creator || !same_beginning(before, f))
		return;
	if (!before->twins.first) {
		before->twins.first = before->id + 1;
		before->twins.n = 1;
	}
	f->twins.first = before->twins.first;
	before->twins.next = f->id + 1;
	rt->fibers[f->twins.first - 1].twins.n++;
	rt->eager &= ~bit(f->id);
	rt->unborn |= bit(f->id);
}

static void begin(struct fiber *f)
{
	rt->unborn &= ~bit(f->id);
	rt->eager |= bit(f->id);
}

void twins_stepped(struct fiber *f)
{
	struct fiber *next = &rt->fibers[f->twins.next - 1];

	if (!(rt->unborn & bit(next->id)))
		return;
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (f->clock[i] > next->clock[i])
			next->clock[i] = f->clock[i];
	begin(next);
}

bool twins_begin(void)
{
	if (!rt->unborn)
		return false;
	begin(&rt->fibers[__builtin_ctzll(rt->unborn)]);
	return true;
}

void twins_joined(struct fiber *f, bool asked)
{
	struct twins *t;

	if (!f->twins.first)
		return;
	t = &rt->fibers[f->twins.first - 1].twins;
	t->asked |= asked;
	if (t->joined && (t->joiner != rt->cur->id || (t->asked && t->result != f->retval)))
		twins_differ();
	t->to = rt->cur->seq;
	if (!t->joined++)
		t->from = t->to;
	t->joiner = rt->cur->id;
	t->result = f->retval;
}

/* A step that only reads what nobody else changes, as a handle. */
static bool nobody_sees(const struct event *e)
{
	for (uint32_t i = 0; i < rt->n; i++)
		if (rt->log[i].thread != e->thread && event_is_step(&rt->log[i]) && events_conflict(e, &rt->log[i]))
			return false;
	return e->access == LP_READS;
}

/* Could somebody tell that some of them are joined and others are not? */
static bool joins_are_seen(const struct twins *t)
{
	const struct fiber *joiner = &rt->fibers[t->joiner];
	uint32_t to = t->joined < t->n ? joiner->seq : t->to;

	for (uint32_t k = joiner->rounds.own; k && rt->log[k - 1].seq > t->from; k = rt->log[k - 1].own)
		if (rt->log[k - 1].seq <= to && !nobody_sees(&rt->log[k - 1]))
			return true;
	return false;
}

void twins_ended(void)
{
	if (!rt->config.symmetry)
		return;
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct twins *t = &rt->fibers[i].twins;

		if (t->joined && joins_are_seen(t))
			twins_differ();
	}
}

void twins_differ(void)
{
	if (!rt->config.symmetry)
		return;
	rt->config.symmetry = false;
	rt->status->every_order |= LP_EVERY_TWIN;
	rt->need_restart = 1;
}
