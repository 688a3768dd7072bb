/* SPDX-License-Identifier: MIT
 *
 * Counters that are only incremented, by one.
 *
 * Increments and reads: an increment is applied as late as possible, when it returns or when a read
 * returns that needs a greater count; then the one that returns first is taken. The count is thus
 * the least possible at any time, a read that was called when it was too high already is wrong, and
 * so is one for which there are not enough increments. As the count goes up in steps of one, no
 * read is jumped over.
 *
 * Increments that return the value: the values are the order. They must be distinct and without a
 * gap, and each operation must return after the latest call before it in this order.
 *
 * Cost: O(n log n).
 */
#include "lin/monitor/heap.h"
#include "lin/monitor/monitor.h"

#include <stdlib.h>

struct counter_monitor {
	const struct lin_part *part;
	enum counter_role *roles;
	int64_t initial;
	struct monitor_core *core;
};

/* A violation that shows at an event is one of everything that was called before. */
static enum monitor_answer violation_at(const struct counter_monitor *m, uint32_t event)
{
	for (uint32_t i = 0; i < m->part->nops && m->part->ops[i].call < event; i++)
		core_add(m->core, i);
	return MONITOR_VIOLATION;
}

/*
 * `h`: the increments that were called and not applied. They are applied by return, so the next one
 * is always the first of the heap; pending ones come last.
 */
static enum monitor_answer sweep(const struct counter_monitor *m, struct return_heap *h)
{
	const struct lin_part *p = m->part;
	int64_t count = m->initial;

	for (uint32_t e = 0; e < p->nevents; e++) {
		uint32_t op = p->events[e] / 2;
		const struct lin_op *o = &p->ops[op];
		bool is_return = p->events[e] & 1;

		if (m->roles[op] == COUNTER_INC) {
			if (!is_return) {
				heap_push(h, p, op);
			} else if (h->n && h->ops[0] == op) {
				/* Not applied yet; others that return earlier have been. */
				heap_pop(h, p);
				count++;
			}
			continue;
		}
		if (!is_return) {
			if (o->r < count)
				return violation_at(m, o->ret + 1);
			continue;
		}
		for (; count < o->r && h->n; count++)
			heap_pop(h, p);
		if (count < o->r)
			return violation_at(m, e + 1);
	}
	return MONITOR_OK;
}

static enum monitor_answer check_reads(const struct counter_monitor *m)
{
	struct return_heap h = { xreallocarray(NULL, m->part->nops, sizeof *h.ops), 0 };
	enum monitor_answer answer = sweep(m, &h);

	free(h.ops);
	return answer;
}

static uint64_t place_of(const struct counter_monitor *m, uint32_t op)
{
	const struct lin_op *o = &m->part->ops[op];

	return (uint64_t)o->r - (uint64_t)m->initial - (m->roles[op] == COUNTER_INC_FETCH);
}

static enum monitor_answer check_order(const struct counter_monitor *m, uint32_t *order)
{
	const struct lin_part *p = m->part;
	uint32_t n = p->nops, limit = 0, last = 0;

	for (uint32_t i = 0; i < n; i++)
		order[i] = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t place = place_of(m, i);

		if (place >= n || order[place] != UINT32_MAX)
			return violation_at(m, UINT32_MAX);
		order[place] = i;
	}
	for (uint32_t k = 0; k < n; k++) {
		const struct lin_op *o = &p->ops[order[k]];

		if (o->ret < limit)
			return violation_at(m, p->ops[last].ret + 1);
		if (o->call > limit) {
			limit = o->call;
			last = order[k];
		}
	}
	return MONITOR_OK;
}

static enum monitor_answer choose(struct counter_monitor *m,
				  bool (*classify)(const struct lin_op *, enum counter_role *))
{
	uint32_t counts[4] = { 0 }, n = m->part->nops, *order;
	enum monitor_answer answer;

	for (uint32_t i = 0; i < n; i++) {
		if (!classify(&m->part->ops[i], &m->roles[i]))
			return MONITOR_DECLINES;
		counts[m->roles[i]]++;
	}
	if (m->initial > INT64_MAX - (int64_t)n) /* it could wrap around */
		return MONITOR_DECLINES;
	if (counts[COUNTER_INC] + counts[COUNTER_READ] == n)
		return check_reads(m);
	if (counts[COUNTER_FETCH_INC] + counts[COUNTER_INC_FETCH] != n)
		return MONITOR_DECLINES;
	order = xreallocarray(NULL, n, sizeof *order);
	answer = check_order(m, order);
	free(order);
	return answer;
}

enum monitor_answer monitor_counter(const struct lin_part *part,
				    bool (*classify)(const struct lin_op *, enum counter_role *),
				    int64_t initial, struct monitor_core *core)
{
	struct counter_monitor m = { .part = part, .initial = initial, .core = core };
	enum monitor_answer answer;

	m.roles = xreallocarray(NULL, part->nops, sizeof *m.roles);
	answer = choose(&m, classify);
	free(m.roles);
	return answer;
}
