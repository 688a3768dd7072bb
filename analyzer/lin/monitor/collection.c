/* SPDX-License-Identifier: MIT
 *
 * What the monitors of queues, stacks and priority queues have in common.
 *
 * Values are distinct, so every value has one add and at most one remove. Whatever the order of the
 * collection: a value is removed once, after it was added; and it is surely inside between the
 * return of its add and the call of its remove, so a remove that returned empty is wrong iff at
 * each moment of it some value is surely inside.
 *
 * Removes that never returned may have taken any value that nobody else took, or none. Verdicts are
 * monotone: a violation's core stays one until an unremoved value *of the core* is taken. So only
 * those are tried, one after the other; usually there are one or two. An add that never returned
 * and whose value nobody took is left out.
 *
 * Cost: O(n) beside the monitor's, times the number of assignments tried.
 */
#include "lin/monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TRIES 500 /* runs of the monitor; more go to the general search */

struct attempt {
	struct collection c;
	collection_monitor monitor;
	struct monitor_core *core;
	uint32_t *empties, nempties; /* removes that returned empty */
	uint32_t *pending, npending; /* removes that never returned, not yet assigned */
	int tries;
};

void core_add(struct monitor_core *core, uint32_t op)
{
	if (!core)
		return;
	VEC_GROW(core->ops, core->nops, core->capacity);
	core->ops[core->nops++] = op;
}

void core_add_item(struct monitor_core *core, const struct collection *c, uint32_t item)
{
	core_add(core, c->items[item].add);
	if (c->items[item].remove != FOREVER)
		core_add(core, c->items[item].remove);
}

bool core_cover(struct monitor_core *core, const struct collection *c, uint32_t from, uint32_t to,
		bool (*counts)(const struct item *, int64_t), int64_t value)
{
	const struct lin_part *p = c->part;
	uint32_t best = FOREVER, best_end = 0;

	for (uint32_t e = 0; e < p->nevents && from < to; e++) {
		uint32_t i = c->item_of[p->events[e] / 2];

		if (i != FOREVER && c->items[i].t.ae == e && c->items[i].t.rs > best_end &&
		    (!counts || counts(&c->items[i], value))) {
			best = i;
			best_end = c->items[i].t.rs;
		}
		if (e < from)
			continue;
		if (best == FOREVER || best_end <= from)
			return false;
		core_add_item(core, c, best);
		from = best_end;
	}
	return true;
}

/* Values to items: an array if the values are dense, else a hash table. */
struct index {
	uint32_t *slots; /* item + 1 */
	uint32_t mask;
	int64_t low;
	uint64_t range; /* 0: hashed */
	const struct item *items;
};

static uint32_t *index_slot(const struct index *x, int64_t value)
{
	if (x->range) {
		uint64_t at = (uint64_t)value - (uint64_t)x->low;

		return at < x->range ? &x->slots[at] : NULL;
	}
	for (uint32_t i = (uint32_t)(hash_mix(0x9e37, (uint64_t)value) >> 8) & x->mask;;
	     i = (i + 1) & x->mask)
		if (!x->slots[i] || x->items[x->slots[i] - 1].value == value)
			return &x->slots[i];
}

static void index_make(struct index *x, const struct item *items, uint32_t n)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	uint64_t slots = 16;

	for (uint32_t i = 0; i < n; i++) {
		low = items[i].value < low ? items[i].value : low;
		high = items[i].value > high ? items[i].value : high;
	}
	x->items = items;
	x->low = low;
	x->range = n && (uint64_t)high - (uint64_t)low < 4 * (uint64_t)n
			   ? (uint64_t)high - (uint64_t)low + 1
			   : 0;
	while (slots < 2 * (uint64_t)n)
		slots *= 2;
	x->mask = (uint32_t)(slots - 1);
	x->slots = xcalloc(x->range ? x->range : slots, sizeof *x->slots);
}

/* Sorts the operations into adds, removes, empties and pending removes; false: not our shape. */
static bool gather(struct attempt *a, uint8_t add, uint8_t remove)
{
	struct collection *c = &a->c;
	const struct lin_part *p = c->part;

	for (uint32_t i = 0; i < p->nops; i++) {
		const struct lin_op *op = &p->ops[i];

		c->item_of[i] = FOREVER;
		if (op->code == add) {
			if (op->flags & OP_OBSERVER)
				return false;
			c->items[c->nitems++] = (struct item){
				op->a, { op->call, op->ret, FOREVER, FOREVER }, i, FOREVER
			};
		} else if (op->code != remove) {
			return false;
		} else if (op->flags & OP_PENDING) {
			a->pending[a->npending++] = i;
		} else if (op->flags & OP_ANY) {
			return false;
		} else if (op->flags & OP_OBSERVER) {
			a->empties[a->nempties++] = i;
		}
	}
	return true;
}

/* One remove that returned a value: false and a core if that cannot be. */
static bool match_remove(struct attempt *a, const struct index *x, uint32_t op, bool *bad)
{
	struct collection *c = &a->c;
	const struct lin_op *o = &c->part->ops[op];
	uint32_t *slot = index_slot(x, o->r);
	struct item *item;

	if (!slot || !*slot) {
		core_add(a->core, op);
		*bad = true;
		return false;
	}
	item = &c->items[*slot - 1];
	if (item->remove != FOREVER || o->ret < item->t.as) {
		core_add_item(a->core, c, *slot - 1);
		core_add(a->core, op);
		*bad = true;
		return false;
	}
	item->t.rs = o->call;
	item->t.re = o->ret;
	item->remove = op;
	c->item_of[op] = *slot - 1;
	return true;
}

/* Pairs adds and removes. Declines if a value was added twice. */
static enum monitor_answer match(struct attempt *a, uint8_t remove)
{
	struct collection *c = &a->c;
	struct index x;
	bool bad = false, twice = false;

	index_make(&x, c->items, c->nitems);
	for (uint32_t i = 0; i < c->nitems && !twice; i++) {
		uint32_t *slot = index_slot(&x, c->items[i].value);

		twice = *slot;
		*slot = i + 1;
	}
	for (uint32_t i = 0; i < c->part->nops && !bad && !twice; i++) {
		const struct lin_op *op = &c->part->ops[i];

		if (op->code == remove && !(op->flags & (OP_ANY | OP_OBSERVER)))
			match_remove(a, &x, i, &bad);
	}
	free(x.slots);
	return twice ? MONITOR_DECLINES : bad ? MONITOR_VIOLATION : MONITOR_OK;
}

/* Leaves out adds that never returned and were never seen. */
static void drop_unseen(struct collection *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nitems; i++)
		if (c->items[i].t.ae != FOREVER || c->items[i].remove != FOREVER)
			c->items[n++] = c->items[i];
	c->nitems = n;
	for (uint32_t i = 0; i < n; i++) {
		c->item_of[c->items[i].add] = i;
		if (c->items[i].remove != FOREVER)
			c->item_of[c->items[i].remove] = i;
	}
}

static bool report_empty(struct attempt *a, uint32_t op, struct monitor_core *core)
{
	core_add(core, op);
	if (core)
		core_cover(core, &a->c, a->c.part->ops[op].call, a->c.part->ops[op].ret, NULL, 0);
	return false;
}

/* An empty remove needs a gap between two events, within it, where nothing is surely inside. */
static bool empties_fit(struct attempt *a, struct monitor_core *core)
{
	const struct collection *c = &a->c;
	const struct lin_part *p = c->part;
	uint32_t inside = 0, last_empty = 0;
	bool ever = false;

	if (!a->nempties)
		return true;
	for (uint32_t e = 0; e < p->nevents; e++) {
		uint32_t op = p->events[e] / 2, i = c->item_of[op];
		const struct lin_op *o = &p->ops[op];

		if (i != FOREVER) {
			const struct span *t = &c->items[i].t;

			inside += t->ae == e && t->ae < t->rs;
			inside -= t->rs == e && t->ae < t->rs;
		} else if ((p->events[e] & 1) && (o->flags & OP_OBSERVER)) {
			if (!ever || last_empty < o->call)
				return report_empty(a, op, core);
		}
		if (!inside) {
			last_empty = e;
			ever = true;
		}
	}
	return true;
}

static enum monitor_answer decide(struct attempt *a);

/* Lets a pending remove take an unremoved item of the core, in every way, until the history is
 * linearizable. */
static enum monitor_answer assign(struct attempt *a, const struct monitor_core *core)
{
	struct collection *c = &a->c;
	enum monitor_answer answer = MONITOR_VIOLATION;

	for (uint32_t k = 0; k < core->nops; k++) {
		uint32_t i = c->item_of[core->ops[k]];
		struct item *item = i == FOREVER ? NULL : &c->items[i];

		if (!item || item->remove != FOREVER)
			continue;
		for (uint32_t j = 0; j < a->npending && answer == MONITOR_VIOLATION; j++) {
			uint32_t op = a->pending[j];

			a->pending[j] = a->pending[--a->npending];
			item->remove = op;
			item->t.rs = c->part->ops[op].call;
			c->item_of[op] = i;
			answer = decide(a);
			c->item_of[op] = FOREVER;
			item->remove = item->t.rs = FOREVER;
			a->pending[a->npending++] = a->pending[j];
			a->pending[j] = op;
		}
	}
	return answer;
}

static enum monitor_answer decide(struct attempt *a)
{
	struct monitor_core core = { 0 }, *use = a->npending ? &core : a->core;
	enum monitor_answer answer = MONITOR_VIOLATION;

	if (a->tries++ == MAX_TRIES)
		return MONITOR_DECLINES;
	if (empties_fit(a, use) && a->monitor(&a->c, use))
		answer = MONITOR_OK;
	else if (a->npending)
		answer = assign(a, &core);
	for (uint32_t i = 0; i < core.nops; i++)
		core_add(a->core, core.ops[i]);
	free(core.ops);
	return answer;
}

enum monitor_answer monitor_collection(const struct lin_part *part, uint8_t add, uint8_t remove,
				       collection_monitor monitor, struct monitor_core *core)
{
	struct attempt a = { .c.part = part, .monitor = monitor, .core = core };
	enum monitor_answer answer = MONITOR_DECLINES;
	uint32_t nadds = 0, *list;

	for (uint32_t i = 0; i < part->nops; i++)
		nadds += part->ops[i].code == add;
	a.c.items = large_alloc(nadds * sizeof *a.c.items);
	a.c.item_of = list = large_alloc((2 * (size_t)part->nops - nadds) * sizeof *list);
	a.empties = list + part->nops;
	a.pending = xreallocarray(NULL, part->npending, sizeof *a.pending);
	if (gather(&a, add, remove))
		answer = match(&a, remove);
	if (answer == MONITOR_OK) {
		drop_unseen(&a.c);
		for (uint32_t i = 0; i < a.npending; i++)
			core_add(core, a.pending[i]);
		answer = decide(&a);
	}
	free(a.c.items);
	free(a.c.item_of);
	free(a.pending);
	return answer;
}
