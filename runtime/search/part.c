/* SPDX-License-Identifier: MIT
 *
 * A part of an exhaustive search: some of the units into which the tree of choices was divided.
 *
 * A unit is a way from the root, with the threads that come before it in each state on the way. Those
 * subtrees are explored by others, so these threads sleep here like the ones that depth-first search
 * has finished; what they do is found out by executing one step of each (a probe). Races that lead
 * above the unit's own states are not followed but handed back. Why this loses no class and explores
 * none twice is in docs/parallel.md.
 *
 * At the end of its budget a unit is divided: each thread that is left in a state on the stack becomes a
 * unit of its own.
 */
#include "../part.h"
#include "../memory.h"
#include "../sched.h"
#include "../state.h"
#include "../strategy.h"
#include "frames.h"
#include "races.h"

static struct strategy inner, first, probing;
static bool sleeps; /* it uses sleep sets */

static struct walk {
	uint32_t *at;     /* log index of each step of the way */
	uint32_t room;
	uint32_t level;   /* of the probe; the way was executed up to there */
	uint64_t waiting; /* probes that are still to be made there, with the one that is made now */
	bool probes, first; /* this execution is a probe, the unit's first one */
	bool reached;       /* at[level] is known */
	uint32_t step;      /* of the way: which comes next in this execution */
	uint32_t prefix;    /* how this execution began */
	int32_t choice;
	uint32_t from;
} *w;

static const struct unit *unit(void)
{
	return &part->units[part->now];
}

/* ---- choices ---- */

static int probed(void)
{
	return __builtin_ctzll(w->waiting);
}

static int pick_way(uint64_t enabled)
{
	const struct part_step *s = &unit()->way[w->step];
	struct search_frame *frame = &search_frames[rt->n];
	int thread = w->probes && w->step == w->level ? probed() : s->thread;

	if (sleeps)
		choose_awake(enabled);
	else
		frame->sleep = frame->done = 0;
	frame->backtrack = s->before | bit(s->thread);
	if (!(enabled & bit((unsigned)thread)))
		die("the program is not deterministic: a thread that could run in one process "
		    "cannot in another one, after the same steps");
	w->at[w->step++] = rt->n;
	return thread;
}

static int pick_probe(uint64_t enabled)
{
	return w->step <= w->level ? pick_way(enabled) : -1;
}

/* The unit's own states are those from here on. */
static int pick_first(uint64_t enabled)
{
	if (w->step < unit()->n)
		return pick_way(enabled);
	if (*frames_floor > rt->n)
		*frames_floor = rt->n;
	return inner.pick(enabled);
}

static void probe_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	sleep_on(i, i + 1);
}

static void nothing(uint32_t step)
{
}

static void probe_end(void)
{
	if (rt->need_again || rt->need_restart || rt->broken_off)
		return;
	end_races(nothing);
}

/* ---- which execution comes next ---- */

static void make_room(uint32_t n)
{
	if (n < w->room)
		return;
	w->room = 2 * n;
	w->at = memory_get(w->room * sizeof *w->at);
}

/* The strategy forgets what it knows, or (again) only what it knows of the execution before. */
static void prepare(bool again)
{
	uint32_t prefix;
	int32_t choice;
	uint8_t restart = rt->need_restart, repeat = rt->need_again;

	rt->need_restart = !again;
	rt->need_again = again;
	inner.begin(&prefix, &choice);
	rt->need_restart = restart;
	rt->need_again = repeat;
}

/* The execution that is described by w, from its beginning. */
static bool execute(uint32_t *prefix, int32_t *choice)
{
	w->step = w->from;
	*frames_floor = NO_EVENT;
	if (w->first)
		prepare(true);
	sleep_nobody();
	*prefix = w->prefix;
	*choice = w->choice;
	return true;
}

static void leave_way_at(uint32_t level, int choice)
{
	w->prefix = w->at[level];
	w->choice = choice;
	w->from = level + 1;
}

/* The next one to be probed, or the unit's first execution. */
static bool next_probe(uint32_t *prefix, int32_t *choice)
{
	const struct unit *u = unit();

	if (w->waiting) {
		leave_way_at(w->level, probed());
		return execute(prefix, choice);
	}
	if (w->reached) {
		leave_way_at(w->level, u->way[w->level].thread);
		w->level++;
	}
	w->reached = false;
	while (w->level < u->n && !(w->waiting = sleeps ? u->way[w->level].before : 0))
		w->level++;
	w->probes = w->level < u->n;
	rt->probing = w->probes;
	w->first = !w->probes;
	rt->strategy = w->probes ? &probing : &first;
	return execute(prefix, choice);
}

static bool next_unit(uint32_t *prefix, int32_t *choice)
{
	if (part->now == part->nunits)
		return false;
	make_room(unit()->n + 1);
	w->level = w->prefix = w->from = 0;
	w->choice = -1;
	w->waiting = 0;
	w->reached = false;
	prepare(false);
	return next_probe(prefix, choice);
}

static bool after_probe(uint32_t *prefix, int32_t *choice)
{
	uint32_t at = w->at[w->level];

	if (rt->need_again)
		return execute(prefix, choice);
	w->reached = true;
	if (!search_frames[at].terminal && frames_sleeps(at))
		search_frames[at].sleep |= bit((unsigned)probed());
	search_frames[at].backtrack = unit()->way[w->level].before | bit(unit()->way[w->level].thread);
	w->waiting &= w->waiting - 1;
	return next_probe(prefix, choice);
}

/* Who was found to be explored from states on the way. */
static void write_above(void)
{
	const struct unit *u = unit();

	for (uint32_t k = 0; k < u->n; k++) {
		const struct search_frame *f = &search_frames[w->at[k]];
		uint64_t more = f->backtrack & ~(u->way[k].before | bit(u->way[k].thread)) & ~f->sleep;

		for (; more; more &= more - 1)
			text_add(part_text(), "above %u %u %u\n", (unsigned long)part->now,
				 (unsigned long)k, (unsigned long)__builtin_ctzll(more));
	}
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	static bool started;

	if (!started) {
		started = true;
		return next_unit(prefix, choice);
	}
	if (w->probes)
		return after_probe(prefix, choice);
	if (rt->need_again && w->first)
		return execute(prefix, choice);
	w->first = false;
	rt->strategy = &inner;
	if (inner.begin(prefix, choice))
		return true;
	write_above();
	text_add(part_text(), "done %u\n", (unsigned long)part->now);
	part->now++;
	return next_unit(prefix, choice);
}

/* Who is left in the state before this event of the latest execution; `here`: who goes on there. */
static uint64_t left_at(uint32_t i, uint64_t here)
{
	const struct search_frame *f = &search_frames[i];

	return f->backtrack & ~f->done & ~f->sleep & ~here;
}

static void write_state(uint32_t i, int here, bool goes_on)
{
	uint64_t done = search_frames[i].done, mine = here >= 0 ? bit((unsigned)here) : 0;

	text_add(part_text(), "state");
	for (done &= ~mine; done; done &= done - 1)
		text_add(part_text(), " d%u", (unsigned long)__builtin_ctzll(done));
	if (here >= 0)
		text_add(part_text(), goes_on ? " o%u" : " d%u", (unsigned long)here);
	for (uint64_t left = left_at(i, mine); left; left &= left - 1)
		text_add(part_text(), " l%u", (unsigned long)__builtin_ctzll(left));
	text_add(part_text(), "\n");
}

/* The stack of the search, down to the last state from which something is left. An execution that did not
 * come to its end is left itself. */
void part_write_rest(void)
{
	bool whole = !rt->broken_off && !rt->need_again;
	uint32_t last = NO_EVENT;

	if (!part)
		return;
	if (rt->need_restart || part->draws || !w->at || part->now == part->nunits || w->probes || (w->first && !whole))
		return;
	if (inner.divide)
		inner.divide();
	for (uint32_t i = *frames_floor; whole && i < rt->n; i++)
		if (event_is_step(&rt->log[i]) && left_at(i, bit(rt->log[i].thread)))
			last = i;
	if (!whole)
		last = rt->prefix;
	write_above();
	text_add(part_text(), last == NO_EVENT ? "done %u\n" : "split %u\n",
		 (unsigned long)part->now);
	for (uint32_t i = *frames_floor; last != NO_EVENT && i <= last; i++)
		if (!whole && i == last)
			write_state(i, -1, false);
		else if (event_is_step(&rt->log[i]))
			write_state(i, rt->log[i].thread, i < last);
}

static void init(void)
{
	w = memory_get(sizeof *w);
	inner.init();
}

static struct strategy strategy_part = { .init = init, .begin = begin };

const struct strategy *part_strategy(void)
{
	const struct config *c = &rt->config;
	bool mixed = c->search == LP_SEARCH_AUTO;
	enum lp_search search = c->search;

	if (!part)
		return strategy_of(search, *c->blocks && c->enforce == LP_ENFORCE_ATOMIC);
	if (mixed)
		search = part->draws ? LP_SEARCH_RANDOM : LP_SEARCH_DPOR;
	if (part->draws)
		return strategy_of(search, false);
	sleeps = search != LP_SEARCH_DFS;
	inner = *strategy_of(search, false);
	inner.distinct &= !mixed;
	inner.estimate = NULL;
	first = probing = inner;
	first.pick = pick_first;
	probing.pick = pick_probe;
	probing.step = probe_step;
	probing.end = probe_end;
	strategy_part.distinct = inner.distinct;
	strategy_part.frames = true;
	return &strategy_part;
}
