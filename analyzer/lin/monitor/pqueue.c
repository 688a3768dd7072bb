/* SPDX-License-Identifier: MIT
 *
 * Priority queue with distinct values (Bouajjani, Enea, Wang, "Checking linearizability of
 * concurrent priority queues", CONCUR 2017): beside the checks common to all collections, each
 * remove(v) needs a moment between its call (and that of add(v)) and its return when nothing better
 * than v is surely inside.
 *
 * One sweep over the events keeps the best value that is surely inside and the removes that have
 * not had their moment; after every event, those at least as good as the best have had it. Both are
 * sets of ranks with a maximum, kept as bitmaps of bitmaps. Cost: O(n log_64 n), after sorting by
 * value.
 */
#include "lin/monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS 6

/* Sets of numbers below n: level 0 has a bit each, level k+1 a bit for each word of level k that is
 * not zero. */
struct ranks {
	uint64_t *level[LEVELS];
	int top;
};

static void ranks_make(struct ranks *r, uint32_t n)
{
	size_t words[LEVELS], total = 0;
	uint64_t *at;

	r->top = -1;
	do {
		n = (n + 63) / 64 + !n;
		words[++r->top] = n;
		total += n;
	} while (n > 1);
	at = xcalloc(total, sizeof *at);
	for (int i = 0; i <= r->top; i++) {
		r->level[i] = at;
		at += words[i];
	}
}

static void ranks_add(struct ranks *r, uint32_t v)
{
	for (int i = 0; i <= r->top; i++, v /= 64)
		r->level[i][v / 64] |= 1ULL << v % 64;
}

static void ranks_remove(struct ranks *r, uint32_t v)
{
	for (int i = 0; i <= r->top; i++, v /= 64) {
		r->level[i][v / 64] &= ~(1ULL << v % 64);
		if (r->level[i][v / 64])
			break;
	}
}

static bool ranks_have(const struct ranks *r, uint32_t v)
{
	return r->level[0][v / 64] >> v % 64 & 1;
}

/* The greatest, or -1. */
static int64_t ranks_max(const struct ranks *r)
{
	uint32_t v = 0;

	if (!r->level[r->top][0])
		return -1;
	for (int i = r->top; i >= 0; i--)
		v = 64 * v + 63 - (uint32_t)__builtin_clzll(r->level[i][v]);
	return v;
}

/* By item: its place in the order of the queue, the best one last. */
static uint32_t *rank_items(const struct collection *c, bool min)
{
	uint32_t *rank = xreallocarray(NULL, c->nitems, sizeof *rank);
	struct time_key *keys = xreallocarray(NULL, c->nitems, sizeof *keys);

	for (uint32_t i = 0; i < c->nitems; i++)
		keys[i] = (struct time_key){ c->items[i].value, i, 0 };
	sort_times(keys, c->nitems);
	for (uint32_t i = 0; i < c->nitems; i++)
		rank[keys[i].index] = min ? c->nitems - 1 - i : i;
	free(keys);
	return rank;
}

static bool less(const struct item *item, int64_t value)
{
	return item->value < value;
}

static bool greater(const struct item *item, int64_t value)
{
	return item->value > value;
}

static void report(const struct collection *c, uint32_t i, bool min, struct monitor_core *core)
{
	const struct item *item = &c->items[i];
	uint32_t from = item->t.rs > item->t.as ? item->t.rs : item->t.as;

	if (!core)
		return;
	core_add_item(core, c, i);
	core_cover(core, c, from, item->t.re, min ? less : greater, item->value);
}

/* Handles the event of an item; false if its remove returns without having had its moment. */
static bool event(const struct item *item, uint32_t e, uint32_t rank, struct ranks *inside,
		  struct ranks *waiting)
{
	const struct span *t = &item->t;

	if (e == t->ae && t->ae < t->rs)
		ranks_add(inside, rank);
	if (e == t->rs && t->ae < t->rs)
		ranks_remove(inside, rank);
	if (e == t->re && ranks_have(waiting, rank))
		return false;
	if (t->rs != FOREVER && e == (t->rs > t->as ? t->rs : t->as))
		ranks_add(waiting, rank);
	return true;
}

static bool sweep(const struct collection *c, bool min, struct monitor_core *core)
{
	const struct lin_part *p = c->part;
	uint32_t *rank = rank_items(c, min);
	struct ranks inside, waiting;
	bool ok = true;

	ranks_make(&inside, c->nitems);
	ranks_make(&waiting, c->nitems);
	for (uint32_t e = 0; e < p->nevents && ok; e++) {
		uint32_t i = c->item_of[p->events[e] / 2];
		int64_t best, next;

		if (i == FOREVER)
			continue;
		ok = event(&c->items[i], e, rank[i], &inside, &waiting);
		if (!ok)
			report(c, i, min, core);
		best = ranks_max(&inside);
		while ((next = ranks_max(&waiting)) > best)
			ranks_remove(&waiting, (uint32_t)next);
	}
	free(inside.level[0]);
	free(waiting.level[0]);
	free(rank);
	return ok;
}

bool monitor_pqueue_min(const struct collection *c, struct monitor_core *core)
{
	return sweep(c, true, core);
}

bool monitor_pqueue_max(const struct collection *c, struct monitor_core *core)
{
	return sweep(c, false, core);
}
