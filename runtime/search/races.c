/* SPDX-License-Identifier: MIT */
#include "races.h"
#include "../observed.h"
#include "../objects.h"
#include "../sched.h"
#include "../shadow.h"
#include "../steps.h"
#include "frames.h"

static uint64_t next_sleep, next_half; /* for the frame that comes next */
static race_listener *listener;
uint32_t (*order_clocks)[MAX_FIBERS];

void races_go_to(race_listener *who)
{
	listener = who;
}

void clock_join(uint32_t *clock, const uint32_t *other)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

/* Does what has this clock come after the first steps, seen so far, of the threads in `seen` (their
 * numbers in first[])? */
static bool follows_any(const uint32_t *clock, uint64_t seen, const uint32_t *first)
{
	for (; seen; seen &= seen - 1) {
		unsigned u = (unsigned)__builtin_ctzll(seen);

		if (clock[u] >= first[u])
			return true;
	}
	return false;
}

/* Is it only known when it happens what the thread does next? It does not take what was not sent yet; of a futex it
 * finds another value. */
static bool may_be_another(uint32_t end, uint8_t thread)
{
	const struct event *step = &rt->log[end];
	const struct pending *p = &rt->fibers[thread].pending;

	return end < rt->n ? step->reads_own || step->flags & LP_SITE_FUTEX : p->own || p->flags & LP_SITE_FUTEX;
}

/* Of a step that may be another it is not known on which of those before it it depends. The one in whose place something
 * was taken may also depend on later ones that this did not depend on: so all that can come first are tried. */
void race_reverse(uint32_t e, uint32_t end, uint8_t thread, const uint32_t *clock)
{
	struct search_frame *frame = &search_frames[e];
	const struct event *ev = &rt->log[e];
	uint32_t first[MAX_FIBERS];
	uint64_t seen = 0, initials = 0;

	if (end < rt->n && rt->log[end].kind == LP_EV_TAKE) {
		frame->backtrack |= rt->enabled[e];
		return;
	}
	for (uint32_t k = e + 1; k < end; k++) {
		const struct event *v = &rt->log[k];

		if (!event_is_step(v) || order_clocks[k][ev->thread] >= ev->seq)
			continue;
		if (!v->glued && !(seen & bit(v->thread))) {
			if (!follows_any(order_clocks[k], seen, first)) {
				initials |= bit(v->thread);
				if (frame->backtrack & bit(v->thread))
					return;
			}
			seen |= bit(v->thread);
			first[v->thread] = v->seq;
		}
	}
	if (!(seen && may_be_another(end, thread)) && !(seen & bit(thread)) && !follows_any(clock, seen, first))
		initials |= bit(thread);
	if (initials & frame->backtrack)
		return;
	initials &= rt->enabled[e];
	if (UNLIKELY(rt->blocks == BLOCKS_ATOMIC))
		initials &= ~rt->barred[e];
	if (initials & frame->sleep)
		return; /* explored from an ancestor already */
	frame->backtrack |= initials ? initials & -initials : rt->enabled[e];
}

void race(uint32_t e, uint32_t end, uint8_t thread, const uint32_t *clock)
{
	if (listener)
		listener(e, end, thread, clock);
	else
		race_reverse(e, end, thread, clock);
}

bool waits_for_lock(unsigned wait)
{
	return wait == WAIT_MUTEX || wait == WAIT_WRLOCK || wait == WAIT_RDLOCK ||
	       wait == WAIT_ONCE;
}

/* A lock that prefers writers is taken from readers by a writer that comes; from other writers only by
 * its next step. */
uint32_t lock_taken(uint32_t index, unsigned wait)
{
	const struct event *came = &rt->log[index];

	if (came->kind != LP_EV_ARRIVE || wait != WAIT_WRLOCK)
		return index;
	for (uint32_t k = index + 1; k < rt->n; k++)
		if (event_is_step(&rt->log[k]) && rt->log[k].thread == came->thread)
			return k;
	return index;
}

/* What a writer keeps out before it has the lock is readers. */
uint32_t lock_given_back(const struct event *e, unsigned wait)
{
	if (e->acquired == NO_EVENT || (e->kind == LP_EV_ARRIVE && wait != WAIT_RDLOCK))
		return NO_EVENT;
	return lock_taken(e->acquired, wait);
}

bool about_sent(const struct event *e, unsigned wait)
{
	return UNLIKELY(e->kind == LP_EV_SEND || e->kind == LP_EV_TAKE || e->wait == WAIT_SIGNAL ||
			e->reads_own == OWN_TAKES || wait == WAIT_SIGNAL);
}

/* Does it change what the waiting step waits for? */
static bool sends_to(const struct event *e, const struct event *step)
{
	return e->reads_own == OWN_TAKES ||
	       (e->kind == LP_EV_SEND &&
		(e->addr == SENT_THREAD(&rt->fibers[step->thread]) || e->addr == SENT_PROCESS));
}

/* Who took it waited for something else, which the threads that can go on there may bring before it is sent. */
static void may_have_gone_on(uint32_t e)
{
	search_frames[e].backtrack |= rt->enabled[e];
}

uint32_t reversible_sent(uint32_t e, const struct event *step, const uint32_t *clock, unsigned wait)
{
	if (!sends_to(&rt->log[e], step))
		return e;
	if (step->kind == LP_EV_TAKE) {
		if (rt->enabled[step_head(e)] >> step->thread & 1)
			return e;
		may_have_gone_on(step_head(e));
		return NO_EVENT;
	}
	if (wait != WAIT_SIGNAL)
		return e;
	for (;; e--) {
		const struct event *ev = &rt->log[e];

		if (event_is_step(ev) && sends_to(ev, step)) {
			if (clock[ev->thread] >= ev->seq)
				return NO_EVENT;
			if (rt->enabled[step_head(e)] >> step->thread & 1)
				return e;
		}
		if (!e)
			return NO_EVENT;
	}
}

bool pending_races(const struct fiber *f, struct event *e, uint32_t *conflicts, unsigned *n)
{
	const struct pending *p = &f->pending;

	zero(e, sizeof *e);
	e->thread = f->id;
	*n = 0;
	if (p->wait == WAIT_JOIN || p->wait == WAIT_FUTEX || p->attempt || object_allows(f, p))
		return false;
	e->addr = p->addr;
	e->wait = p->wait;
	shadow_access(p->addr, p->size, (uint8_t)lp_kind_access(p->kind), NO_EVENT, f->id,
		      conflicts, n);
	if (p->wait == WAIT_SIGNAL) {
		shadow_access(SENT_PROCESS, 1, LP_READS, NO_EVENT, f->id, conflicts, n);
		shadow_access(SENT_QUEUE, 1, LP_READS, NO_EVENT, f->id, conflicts, n);
	}
	return true;
}

void races_of_lost(uint32_t step)
{
	if (UNLIKELY(rt->sends))
		search_frames[step].backtrack |=
			rt->takers & ~takers() & ~bit(rt->log[step].thread);
}

bool on_same_object(const struct event *e, const struct event *step)
{
	const uint64_t table = on_channel(step->addr2) ? step->addr2 : step->addr;

	return e->addr == step->addr || e->addr2 == step->addr || e->addr == table || e->addr2 == table;
}

bool may_have_been_free(const struct event *e)
{
	return e->kind == LP_EV_OBJECT_INIT || e->kind == LP_EV_READ || on_channel(e->addr);
}

void make_potential(struct event *e)
{
	if (e->access == LP_TOUCHES_NOT && !lp_kind_access(e->kind))
		return;
	switch (e->kind) {
	case LP_EV_READ:
		e->access = e->wait ? LP_WRITES : LP_READS;
		break;
	case LP_EV_RDLOCK:
	case LP_EV_RDUNLOCK:
		e->access = LP_SHARES;
		break;
	default:
		e->access = LP_WRITES;
	}
}

/* ---- sleep ---- */

void sleep_nobody(void)
{
	next_sleep = next_half = 0;
}

int choose_awake(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];
	uint64_t awake;
	int id;

	awake = enabled & ~next_sleep;
	frame->sleep = next_sleep;
	frame->half = next_half & ~next_sleep;
	frame->done = 0;
	frame->ran = false;
	if (!awake)
		return -1;
	id = first_choice(awake);
	frame->backtrack = bit((unsigned)id);
	return id;
}

/* Does any event of the sleeper's step conflict with one of these? */
static bool wakes(unsigned sleeper, uint32_t from, uint32_t to)
{
	uint32_t n;
	const struct event *s = frames_sleeper(sleeper, &n);

	for (uint32_t k = from; k < to; k++) {
		const struct event *e = &rt->log[k];

		if (!event_is_step(e))
			continue;
		for (uint32_t i = 0; i < n; i++)
			if (events_conflict(&s[i], e))
				return true;
	}
	return false;
}

/* Who slept before the step and is about to overwrite what it wrote, or to be overwritten by it. */
static uint64_t half_asleep(uint32_t step)
{
	const struct search_frame *frame = &search_frames[step];
	const struct event *e = &rt->log[step];
	uint64_t half = 0;

	for (uint64_t s = (frame->sleep | frame->half) & ~bit(e->thread); s; s &= s - 1) {
		unsigned id = (unsigned)__builtin_ctzll(s);
		uint32_t n;
		const struct event *mine = frames_sleeper(id, &n);

		if (!wakes(id, step, step + 1) || (n == 1 && events_are_blind(mine, e)))
			half |= bit(id);
	}
	return half;
}

void sleep_on(uint32_t from, uint32_t to)
{
	uint64_t sleep = search_frames[from].sleep & ~bit(rt->log[from].thread), kept = 0;

	search_frames[from].terminal = false;
	for (; sleep; sleep &= sleep - 1) {
		unsigned id = (unsigned)__builtin_ctzll(sleep);

		if (!wakes(id, from, to))
			kept |= bit(id);
	}
	next_sleep = kept;
	next_half = UNLIKELY(rt->config.observers) ? half_asleep(from) : 0;
}

/* ---- ends ---- */

void end_races(void (*crashed)(uint32_t step))
{
	uint32_t i = rt->n;

	if (rt->no_class || rt->outcome.kind == LP_OUT_DEADLOCK ||
	    rt->outcome.kind == LP_OUT_LIVELOCK || rt->outcome.kind == LP_OUT_ENDLESS)
		return;
	while (i-- > 0 && !event_is_step(&rt->log[i]))
		;
	if (i == NO_EVENT)
		return;
	i = step_head(i);
	if (rt->outcome.kind != LP_OUT_OK && rt->outcome.kind != LP_OUT_EXIT)
		crashed(i);
	if ((rt->ready | rt->blocked) & ~bit(rt->cur->id)) {
		search_frames[i].terminal = true;
		search_frames[i].backtrack |= rt->enabled[i];
	}
}
