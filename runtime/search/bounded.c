/* SPDX-License-Identifier: MIT
 *
 * Schedules with few preemptions, or few delays, all of them: first with none, then with one, and so
 * on. Most faults need few: Musuvathi and Qadeer, "Iterative Context Bounding for Systematic
 * Testing of Multithreaded Programs", PLDI 2007; Emmi, Qadeer, Rakamaric, "Delay-Bounded
 * Scheduling", POPL 2011.
 *
 * bounded: to choose another thread while the running one could go on is a preemption.
 * delayed: the running thread goes on, or the next one in the order of creation that can run. To pass
 * by one that can run is a delay.
 *
 * A thread is preempted or delayed only before a step on memory that others touch as well (contended.h): what
 * others do before another step of it, they could do after it just as well, with no more switches.
 * The next bound runs the executions of the one before once more; each class is recorded once.
 */
#include "../sched.h"
#include "../strategy.h"
#include "../memory.h"
#include "contended.h"
#include "frames.h"

static struct bounded {
	struct contended contended;
	uint32_t *spent;   /* before each step, by its index in the log */
	uint8_t *running;  /* whose step was before it... */
	bool *waits;       /* ...and has said that it waits */
	uint32_t bound;
	bool cut; /* at this bound, something was not chosen */
	bool all; /* every step may be followed by others: an end came in their midst */
} *bounded;

static void init(void)
{
	struct bounded *b = bounded = memory_get(sizeof *b);

	frames_init();
	table_make(&b->contended.lines);
	b->spent = memory_get((log_capacity() + 1) * sizeof *b->spent);
	b->running = memory_get((log_capacity() + 1) * sizeof *b->running);
	b->waits = memory_get((log_capacity() + 1) * sizeof *b->waits);
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	struct bounded *b = bounded;

	b->contended.grown = false;
	if (rt->need_restart) {
		b->bound = 0;
		b->cut = false;
	}
	if (frames_begin(prefix, choice, false))
		return true;
	rt->status->bounds = b->bound + 1;
	if (!b->cut)
		return false;
	b->bound++;
	b->cut = false;
	*prefix = 0;
	*choice = -1;
	return true;
}

/* Could others just as well come after the thread's next step? */
static bool quiet(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	return !bounded->all && p->kind != LP_EV_EXIT_ALL && !is_contended(&bounded->contended, p);
}

/* The latest step before log index i; NO_EVENT: none. */
static uint32_t step_before(uint32_t i)
{
	while (i-- > 0)
		if (event_is_step(&rt->log[i]) && !rt->log[i].glued)
			return i;
	return NO_EVENT;
}

/* What choosing thread `id` for the step at log index i costs. */
static unsigned cost(uint32_t i, uint64_t enabled, unsigned id)
{
	unsigned running = bounded->running[i];
	uint64_t passed;

	if (rt->config.search == LP_SEARCH_BOUNDED)
		return id != running && enabled & bit(running) && !bounded->waits[i];
	/* in the order running, running + 1, ..., 0, 1, ... */
	passed = enabled & ~(bit(running) - 1) & (id >= running ? bit(id) - 1 : ~0ULL);
	if (id < running)
		passed |= enabled & (bit(id) - 1);
	return (unsigned)__builtin_popcountll(passed);
}

static int pick(uint64_t enabled)
{
	struct bounded *b = bounded;
	struct search_frame *frame = &search_frames[rt->n];
	uint32_t before = step_before(rt->n), spent = 0;
	unsigned running = 0;
	uint64_t can = 0;
	int first = -1;

	if (before != NO_EVENT) {
		running = rt->log[before].thread;
		spent = b->spent[before] + cost(before, rt->enabled[before], running);
	}
	b->spent[rt->n] = spent;
	b->running[rt->n] = (uint8_t)running;
	b->waits[rt->n] = enabled & bit(running) && !(others_first(enabled) & bit(running));
	frame->done = 0;
	if (enabled & bit(running) && !b->waits[rt->n] && quiet(&rt->fibers[running])) {
		frame->backtrack = bit(running);
		return (int)running;
	}
	for (uint64_t set = enabled; set; set &= set - 1) {
		unsigned id = (unsigned)__builtin_ctzll(set), c = cost(rt->n, enabled, id);

		if (spent + c > b->bound) {
			b->cut = true;
			continue;
		}
		can |= bit(id);
		if (!c && (first < 0 || (unsigned)first != running))
			first = (int)id;
	}
	frame->backtrack = can;
	return first >= 0 ? first : __builtin_ctzll(can);
}

static void bounded_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	for (unsigned k = 0; k < n; k++) {
		const struct event *e = &rt->log[conflicts[k]];

		if (clock[e->thread] < e->seq)
			contend_common(&bounded->contended, &rt->log[i], e);
	}
}

/* How far the others are when a thread crashes, or ends the process, makes a difference. */
static bool ends_others(void)
{
	uint32_t last = step_before(rt->n);

	if (rt->outcome.kind > LP_OUT_EXIT)
		return true;
	if (last == NO_EVENT || rt->log[last].kind != LP_EV_EXIT_ALL)
		return false;
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (i != rt->log[last].thread && rt->fibers[i].state == FIBER_LIVE)
			return true;
	return false;
}

static void end(void)
{
	struct bounded *b = bounded;

	contend_waiting(&b->contended);
	if (!b->all && ends_others())
		b->all = b->contended.grown = true;
	if (b->contended.grown)
		rt->need_restart = 1;
}

const struct strategy strategy_bounded = {
	.init = init,
	.begin = begin,
	.pick = pick,
	.step = bounded_step,
	.end = end,
	.frames = true,
};

const struct strategy strategy_delayed = {
	.init = init,
	.begin = begin,
	.pick = pick,
	.step = bounded_step,
	.end = end,
	.frames = true,
};
