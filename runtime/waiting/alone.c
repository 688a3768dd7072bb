/* SPDX-License-Identifier: MIT
 *
 * A thread that is back in the same state of all threads and memory, alone, does the same for ever.
 * That is only believed if it goes on for AGAIN more steps while the clock hurries: a loop that ends
 * by the time, or by something that look_state() does not see, does not go round for ever.
 */
#include "../alone.h"
#include "../memory.h"
#include "../runs.h"
#include "../sched.h"
#include "../strategy.h"

#define MAX_ALONE 3000 /* steps */
#define UNWATCHED 48   /* first steps in which a circle is not looked for */
#define AGAIN     1000

static struct {
	struct alone a;
	uint32_t at; /* in the schedule */
	unsigned thread;
	bool exact;
	uint8_t how;
	uint64_t states[MAX_ALONE + 1];
} *p;

struct alone *alone_init(void)
{
	p = memory_get(sizeof *p);
	p->a.schedule = memory_get(log_capacity() + ALONE_ROOM);
	return &p->a;
}

uint64_t alone_in_operations(void)
{
	uint64_t set = 0;

	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].state == FIBER_LIVE && rt->fibers[i].in_op)
			set |= bit(i);
	return set;
}

/* Is it back where it was? The state is compared only if its own part can be told. */
static bool is_back(const struct fiber *f)
{
	uint32_t n = p->a.taken;

	p->states[n] = 0;
	if ((!p->exact && n < UNWATCHED) || p->a.circle || !look_local_state(f))
		return false;
	p->states[n] = look_state();
	for (uint32_t i = n; i-- > 0;)
		if (p->states[i] == p->states[n]) {
			p->a.round = n - i;
			return true;
		}
	return false;
}

static int go_alone(uint64_t enabled)
{
	const struct fiber *f = &rt->fibers[p->thread];
	struct alone *a = &p->a;

	if (f->state != FIBER_LIVE || !f->in_op)
		p->how = COMPLETES;
	else if (!(enabled & bit(p->thread)))
		p->how = BLOCKED;
	else if (a->taken == MAX_ALONE)
		p->how = TOO_LONG;
	else if (is_back(f))
		a->circle = a->taken;
	else if (a->circle && a->taken - a->circle >= AGAIN)
		p->how = GOES_ROUND;
	if (p->how)
		return -1;
	a->taken++;
	return (int)p->thread;
}

static int pick(uint64_t enabled)
{
	if (p->at < p->a.length) {
		unsigned id = p->a.schedule[p->at++];

		if (enabled & bit(id))
			return (int)id;
		p->how = LOST;
		return -1;
	}
	settle();
	if (p->thread != NOBODY)
		return go_alone(enabled);
	p->a.open = alone_in_operations();
	p->a.able = p->a.open & enabled;
	p->a.state = look_state();
	return -1;
}

static const struct strategy strategy_alone = { .pick = pick, .distinct = true };

/* Keeps the steps from number `from` on, up to number `to`. */
static void keep_loop(uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	p->a.nloop = 0;
	for (uint32_t k = 0; k < rt->n && p->a.nloop < MAX_LOOP; k++) {
		if (!event_is_step(&rt->log[k]))
			continue;
		if (n >= from && n < to)
			p->a.loop[p->a.nloop++] = rt->log[k];
		n++;
	}
}

enum how alone_run(look_run *run, unsigned thread, bool exact)
{
	struct alone *a = &p->a;
	struct kept kept;

	p->thread = thread;
	p->exact = exact;
	p->how = GOES_ON;
	p->at = a->taken = a->circle = a->round = 0;
	a->open = a->able = a->state = 0;
	runs_begin(&kept, &strategy_alone);
	rt->prefix = 0;
	rt->choice = -1;
	rt->waiting.off = rt->waiting.hurry = true;
	run();
	if (rt->need_restart || rt->need_again || rt->cut)
		p->how = LOST;
	a->restart |= rt->need_restart != 0;
	rt->need_again = rt->need_donors = 0;
	if (p->how == GOES_ROUND)
		keep_loop(a->length + a->circle - a->round, a->length + a->circle);
	else
		keep_loop(a->loop_from, a->loop_to);
	runs_end(&kept);
	return p->how;
}
