/* SPDX-License-Identifier: MIT
 *
 * The order of two writes to the same bytes matters only if somebody can see which one came last: Aronis,
 * Jonsson, Lang, Sagonas, "Optimal Dynamic Partial Order Reduction with Observers", TACAS 2018.
 *
 * Writes that follow each other, with nothing between them that touches their bytes in another way, are a
 * *run*. Only the last of a run can be seen: it comes after the others of its run, which are in no order.
 * All else is as in rt->clocks. Whether a write is the last is known only when the execution is over, so the order is
 * found then. At the end memory is read by what is no event, so the last write of all is seen.
 *
 * If this order is right for an execution, rt->clocks is, too: it only has more classes. So whatever
 * would need a closer look (ends of the process, crashes, what is sent to threads, opened libraries, long executions)
 * keeps that.
 */
#include "observed.h"
#include "memory.h"
#include "objects.h"
#include "outcome.h"
#include "words.h"

#define LONGEST  2048u /* events */
#define EARLY    10000u /* executions */
#define ACCESSES 16384u
#define CELLS    4096u /* more than there are granules */
#define WIDEST   512u  /* granules of one access */

struct access {
	uint64_t addr, size;
	uint32_t event;
	uint32_t before; /* 1 + index of the one before it in its granule; 0 */
	uint8_t access;
};

static struct observed {
	observed_clock clocks[LONGEST];
	struct access list[ACCESSES];
	uint32_t n;
	uint32_t accesses[LONGEST + 1]; /* of an event: from here to those of the next one */
	uint32_t run[LONGEST];          /* of a write: 1 + the first of its run; 0: it has none */
	bool hidden[LONGEST];           /* it is not the last of its run */
	struct {
		uint64_t key;
		uint32_t generation, latest;
	} cells[CELLS];
	uint32_t generation, used;
	bool differs;
} *observed;

void observed_init(void)
{
	observed = memory_get(sizeof *observed);
	rt->others = memory_get(log_capacity() * sizeof *rt->others);
}

observed_clock *observed_order(void)
{
	return observed->clocks;
}

bool observed_differs(void)
{
	return observed->differs;
}

/* Where others have had the thread's place before, its steps are not linked to theirs. */
static uint32_t step_among_lives(unsigned thread, uint32_t seq)
{
	uint32_t i = rt->n;

	while (--i && (rt->log[i].thread != thread || rt->log[i].seq > seq || !event_is_step(&rt->log[i])))
		;
	return i;
}

/* The step of the thread with this number. */
static uint32_t step_of(unsigned thread, uint32_t seq)
{
	uint32_t i = rt->fibers[thread].last_event;

	if (UNLIKELY(rt->fibers[thread].lives))
		return step_among_lives(thread, seq);
	while (rt->log[i].seq > seq && rt->log[i].own)
		i = rt->log[i].own - 1;
	return i;
}

/* What is in `clock` and not in `own`, without what comes before others of it. */
static void find_others(struct others *o, unsigned me, const uint32_t *own, const uint32_t *clock)
{
	uint32_t steps[MAX_FIBERS];
	unsigned n = 0;

	o->n = 0;
	for (unsigned u = 0; u < rt->nfibers; u++)
		if (u != me && clock[u] > (own ? own[u] : 0))
			steps[n++] = step_of(u, clock[u]);
	for (unsigned i = 0; i < n; i++) {
		const struct event *e = &rt->log[steps[i]];
		bool covered = false;

		for (unsigned k = 0; k < n && !covered; k++)
			covered = k != i && rt->clocks[steps[k]][e->thread] >= e->seq;
		if (covered)
			continue;
		if (o->n >= OTHERS) {
			o->n = OTHERS + 1;
			return;
		}
		o->step[o->n++] = steps[i];
	}
}

void observed_step(uint32_t i, const uint32_t *clock)
{
	const struct event *e = &rt->log[i];

	find_others(&rt->others[i], e->thread, e->own ? rt->clocks[e->own - 1] : NULL, clock);
}

static void join(uint32_t *clock, const uint32_t *other)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

/* Its own step before, and others. */
static void clock_before(uint32_t *clock, uint32_t own, const struct others *o)
{
	zero(clock, rt->nfibers * sizeof *clock);
	if (own)
		join(clock, observed->clocks[own - 1]);
	for (unsigned i = 0; i < o->n; i++)
		join(clock, observed->clocks[o->step[i]]);
}

void observed_before(const struct fiber *f, uint32_t *clock)
{
	uint32_t own = f->rounds.own;
	struct others o;

	find_others(&o, f->id, own ? rt->clocks[own - 1] : NULL, f->clock);
	if (o.n > OTHERS)
		copy(clock, f->clock, rt->nfibers * sizeof *clock);
	else
		clock_before(clock, own, &o);
}

/* ---- who touches what ---- */

static uint32_t *latest(uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ULL) >> 40) % CELLS;

	while (observed->cells[i].generation == observed->generation && observed->cells[i].key != key)
		i = (i + 1) % CELLS;
	if (observed->cells[i].generation != observed->generation) {
		observed->used++;
		observed->cells[i].generation = observed->generation;
		observed->cells[i].key = key;
		observed->cells[i].latest = 0;
	}
	return &observed->cells[i].latest;
}

static bool overlaps(const struct access *a, const struct access *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool covers(const struct access *a, const struct access *b)
{
	return a->access == LP_WRITES && a->addr <= b->addr && b->addr + b->size <= a->addr + a->size;
}

/* False: there is no room. */
static bool enter_part(uint32_t event, const struct part *p)
{
	uint64_t first = p->addr >> 3, last = (p->addr + p->size - 1) >> 3;

	if (!p->size || last - first >= WIDEST)
		return false;
	for (uint64_t key = first; key <= last; key++) {
		uint32_t *link;

		if (observed->n == ACCESSES || observed->used >= CELLS / 2)
			return false;
		link = latest(key);
		observed->list[observed->n++] =
			(struct access){ p->addr, p->size, event, *link, p->access };
		*link = observed->n;
	}
	return true;
}

/* The write begins a run, or goes on with one. */
static void find_run(uint32_t i)
{
	const struct access *a = &observed->list[observed->accesses[i]];

	observed->run[i] = i + 1;
	for (uint32_t k = a->before; k; k = observed->list[k - 1].before) {
		const struct access *b = &observed->list[k - 1];

		if (!overlaps(a, b))
			continue;
		if (!observed->run[b->event] ||
		    !events_are_blind(&rt->log[i], &rt->log[b->event]))
			return;
		observed->hidden[b->event] = true;
		observed->run[i] = observed->run[b->event];
		observed->differs |= rt->log[i].thread != rt->log[b->event].thread;
		return;
	}
}

/* False: rt->clocks has to do. */
static bool enter_all(void)
{
	observed->n = observed->used = 0;
	observed->generation++;
	for (uint32_t i = 0; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		struct part parts[MAX_PARTS];
		unsigned n;

		observed->accesses[i] = observed->n;
		observed->accesses[i + 1] = observed->n;
		observed->run[i] = 0;
		observed->hidden[i] = false;
		if (!event_is_step(e))
			continue;
		if (e->kind == LP_EV_EXIT_ALL || rt->others[i].n > OTHERS)
			return false;
		if (!e->access)
			continue;
		n = event_parts(e, parts);
		for (unsigned p = 0; p < n; p++)
			if (!enter_part(i, &parts[p]))
				return false;
		observed->accesses[i + 1] = observed->n;
		if (event_is_blind(e))
			find_run(i);
	}
	return true;
}

/* ---- the order ---- */

static bool is_seen_after(uint32_t i, uint32_t earlier)
{
	return !observed->run[i] || observed->run[i] != observed->run[earlier] || !observed->hidden[i];
}

bool observed_pair(uint32_t earlier, uint32_t i)
{
	return observed->differs && i < rt->n && observed->run[i] &&
	       observed->run[i] == observed->run[earlier];
}

/* The latest of each other thread that comes before an access. */
static void add_conflicts(const struct access *a, uint32_t *by_thread, uint64_t *threads)
{
	unsigned me = rt->log[a->event].thread;

	for (uint32_t k = a->before; k; k = observed->list[k - 1].before) {
		const struct access *b = &observed->list[k - 1];
		unsigned thread = rt->log[b->event].thread;

		if (b->event == a->event || !overlaps(a, b))
			continue;
		if (thread != me && lp_access_conflict(b->access, a->access) &&
		    is_seen_after(a->event, b->event)) {
			if (!(*threads & bit(thread)) || by_thread[thread] < b->event)
				by_thread[thread] = b->event;
			*threads |= bit(thread);
		}
		if (covers(b, a) && !observed->hidden[b->event])
			return; /* what is before that comes before it */
	}
}

unsigned observed_conflicts(uint32_t i, uint32_t *conflicts, uint32_t *clock)
{
	uint32_t by_thread[MAX_FIBERS];
	uint64_t threads = 0;
	unsigned n = 0;

	clock_before(clock, rt->log[i].own, &rt->others[i]);
	for (uint32_t k = observed->accesses[i]; k < observed->accesses[i + 1]; k++)
		add_conflicts(&observed->list[k], by_thread, &threads);
	for (; threads; threads &= threads - 1) {
		uint32_t c = by_thread[__builtin_ctzll(threads)];
		unsigned at = n++;

		for (; at && conflicts[at - 1] < c; at--)
			conflicts[at] = conflicts[at - 1];
		conflicts[at] = c;
	}
	return n;
}

static void find_order(void)
{
	for (uint32_t i = 0; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		uint32_t conflicts[MAX_FIBERS], *clock = observed->clocks[i];
		unsigned n;

		if (!event_is_step(e))
			continue;
		n = observed_conflicts(i, conflicts, clock);
		for (unsigned c = 0; c < n; c++)
			join(clock, observed->clocks[conflicts[c]]);
		clock[e->thread] = e->seq;
	}
}

static void find_hash(observed_clock *clocks)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rt->n; i++)
		if (event_is_step(&rt->log[i]))
			sum += hash_step(&rt->log[i], clocks[i]);
	rt->observed_hash = sum;
}

/* Is memory read by what is no event before others write? Where main is alone, or a library is opened. */
static bool looked_at_unseen(void)
{
	uint32_t unjoined = 0;
	bool alone = false;

	for (uint32_t i = 0; i < rt->n; i++) {
		const struct event *e = &rt->log[i];

		if (e->kind == LP_EV_CREATE && (unjoined++, alone))
			return true;
		alone |= e->kind == LP_EV_JOIN && !--unjoined;
	}
	return rt->loaded;
}

/* Repairs need each class. Later on this execution might not be found again in time. */
static bool failed_early(void)
{
	return rt->config.observers == OBSERVERS_WHILE_FINE && rt->outcome.kind > LP_OUT_EXIT && !rt->no_class &&
	       !rt->cut && rt->status->executions < EARLY;
}

/* All again. */
static void every_order(void)
{
	rt->config.observers = OBSERVERS_NOT;
	rt->status->every_order |= LP_EVERY_WRITE;
	rt->need_restart = 1;
}

void observed_find(void)
{
	if (LIKELY(!rt->config.observers))
		return;
	observed->differs = false;
	if (UNLIKELY(looked_at_unseen() || failed_early())) {
		every_order();
		return;
	}
	if (rt->n > LONGEST || rt->sends || rt->blocks ||
	    (rt->outcome.kind != LP_OUT_OK && rt->outcome.kind != LP_OUT_DEADLOCK) || !enter_all())
		observed->differs = false;
	if (observed->differs)
		find_order();
	find_hash(observed->differs ? observed->clocks : rt->clocks);
}
