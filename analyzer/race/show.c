/* SPDX-License-Identifier: MIT
 *
 * An execution that shows a race, and the race as its outcome.
 */
#include "race/race.h"
#include "repair/order.h"

#include <stdlib.h>
#include <string.h>

/* Marks what must come after `from` in every equivalent execution, and `from` itself. */
static void mark_after(const struct order *o, uint32_t from, bool *after)
{
	after[from] = true;
	for (uint32_t i = from; i < o->nevents; i++) {
		if (!after[i])
			continue;
		if (o->next[i] != NONE)
			after[o->next[i]] = true;
		for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++)
			after[o->targets[k]] = true;
	}
}

/* Does `to` come after some other event that comes after r->first? */
static bool between(const struct order *o, const struct race *r, const bool *after)
{
	bool *reached = xcalloc(o->nevents, sizeof *reached);
	bool found;

	for (uint32_t i = r->first + 1; i < r->second; i++)
		reached[i] = after[i];
	for (uint32_t i = r->first + 1; i < r->second; i++) {
		if (!reached[i])
			continue;
		if (o->next[i] != NONE)
			reached[o->next[i]] = true;
		for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++)
			reached[o->targets[k]] = true;
	}
	found = reached[r->second];
	free(reached);
	return found;
}

uint32_t *race_order(const struct trace *t, const struct race *r, bool *adjacent)
{
	uint32_t *list = xcalloc(t->nevents + 1, sizeof *list), n = 0;
	bool *after = xcalloc(t->nevents + 1, sizeof *after);
	struct order o = { 0 };

	order_build(&o, t);
	mark_after(&o, r->first, after);
	*adjacent = !between(&o, r, after);
	if (!*adjacent)
		memset(after, 0, t->nevents * sizeof *after);
	else if (trace_final(t) != NONE)
		after[trace_final(t)] = true;
	for (uint32_t i = 0; i < t->nevents; i++)
		if (!after[i])
			list[n++] = i;
	if (*adjacent) {
		list[n++] = r->first;
		list[n++] = r->second;
	}
	for (uint32_t i = 0; i < t->nevents; i++)
		if (after[i] && i != r->first && i != r->second)
			list[n++] = i;
	order_free(&o);
	free(after);
	return list;
}

static void add_waiter(struct trace *t, const struct event *e, unsigned why)
{
	struct outcome *o = &t->outcome;

	VEC_GROW(o->waiters, o->nwaiters, t->waiters_capacity);
	o->waiters[o->nwaiters++] =
		(struct waiter){ e->thread, e->site, e->location, NONE, (uint8_t)why };
}

static bool same_lock(const struct event *a, const struct event *b)
{
	return a->thread == b->thread && a->region == b->region && a->offset == b->offset;
}

/* The locks that the thread of event `at` held there. */
static void add_locks(struct trace *t, uint32_t at)
{
	const struct event *list = t->events;

	for (uint32_t i = 0; i < at; i++) {
		bool held = list[i].thread == list[at].thread && list[i].location != NONE &&
			    (list[i].kind == LP_EV_LOCK || list[i].kind == LP_EV_RDLOCK);

		for (uint32_t k = i + 1; held && k < at; k++)
			held = !(same_lock(&list[i], &list[k]) &&
				 (list[k].kind == LP_EV_UNLOCK || list[k].kind == LP_EV_RDUNLOCK ||
				  list[k].kind == LP_EV_LOCK || list[k].kind == LP_EV_RDLOCK));
		if (held)
			add_waiter(t, &list[i], LP_WAIT_HELD);
	}
}

void race_outcome(struct trace *t, const struct race *r)
{
	const struct event *second = &t->events[r->second];

	t->outcome.kind = LP_OUT_DATA_RACE;
	t->outcome.thread = second->thread;
	t->outcome.site = second->site;
	t->outcome.code = 0;
	t->outcome.message = t->outcome.stack = NONE;
	t->outcome.nwaiters = 0;
	add_waiter(t, second, LP_WAIT_NOTHING);
	add_waiter(t, &t->events[r->first], LP_WAIT_NOTHING);
	add_locks(t, r->first);
	add_locks(t, r->second);
}
