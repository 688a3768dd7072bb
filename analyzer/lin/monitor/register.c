/* SPDX-License-Identifier: MIT
 *
 * Register in which every value is written once, with successful compare-and-set (Gibbons and
 * Korach, "Testing shared memories", SIAM J. Comput. 1997).
 *
 * A write and the reads of its value form a cluster; in a linearization they stand together. A
 * successful compare-and-set a -> b puts the cluster of b directly behind that of a, so clusters
 * form chains, the blocks. Inside a block the order is given, up to the reads of one value: each
 * operation has to return after the latest call before it. Blocks A and B exclude each other iff
 * something of A returned before something of B was called and the other way round, that is f(A) <
 * s(B) and f(B) < s(A) with f the least return and s the greatest call; and pairs suffice, since
 * "has to be before" then is an interval order. The initial value is a block that returned before
 * everything.
 *
 * Cost: O(n log n).
 */
#include "lin/monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

struct cluster {
	int64_t value;
	uint32_t writer; /* operation; NOBODY for the initial value */
	uint32_t before; /* cluster that the writer replaced, NOBODY for a plain write */
	uint32_t after;  /* cluster whose writer replaced this one */
	/* least return and greatest call of the reads; events + 1, so that 0 is before all */
	int64_t read_return;
	int64_t read_call;
	uint32_t first_reader, last_reader; /* who they are */
};

struct block {
	int64_t f, s;
	uint32_t f_op, s_op; /* operations they come from */
	uint32_t head;       /* cluster */
};

struct register_monitor {
	const struct lin_part *part;
	struct register_op *ops;
	struct cluster *clusters; /* [0]: the initial value */
	uint32_t nclusters;
	uint32_t *slots, mask; /* values to clusters: + 1 */
	struct block *blocks;
	uint32_t nblocks;
	struct monitor_core *core;
};

static uint32_t *slot_of(const struct register_monitor *m, int64_t value)
{
	for (uint32_t i = (uint32_t)(hash_mix(0x51ed, (uint64_t)value) >> 8) & m->mask;;
	     i = (i + 1) & m->mask)
		if (!m->slots[i] || m->clusters[m->slots[i] - 1].value == value)
			return &m->slots[i];
}

/* False if the value has been written before. */
static bool add_cluster(struct register_monitor *m, int64_t value, uint32_t writer)
{
	uint32_t *slot = slot_of(m, value);

	if (*slot)
		return false;
	m->clusters[m->nclusters] =
		(struct cluster){ value, writer, NOBODY, NOBODY, INT64_MAX, -1, NOBODY, NOBODY };
	*slot = ++m->nclusters;
	return true;
}

static int64_t return_of(const struct register_monitor *m, uint32_t op)
{
	uint32_t ret = m->part->ops[op].ret;

	return ret == RANK_PENDING ? INT64_MAX : (int64_t)ret + 1;
}

static int64_t call_of(const struct register_monitor *m, uint32_t op)
{
	return (int64_t)m->part->ops[op].call + 1;
}

/* Makes a cluster for every written value; false if one is written twice. */
static bool collect_writes(struct register_monitor *m, int64_t initial)
{
	add_cluster(m, initial, NOBODY);
	for (uint32_t i = 0; i < m->part->nops; i++)
		if (m->ops[i].kind != REGISTER_READ && !add_cluster(m, m->ops[i].to, i))
			return false;
	return true;
}

static bool violation(struct register_monitor *m, uint32_t a, uint32_t b)
{
	if (a != NOBODY)
		core_add(m->core, a);
	if (b != NOBODY)
		core_add(m->core, b);
	return false;
}

static void add_read(struct register_monitor *m, struct cluster *c, uint32_t op)
{
	if (return_of(m, op) < c->read_return) {
		c->read_return = return_of(m, op);
		c->first_reader = op;
	}
	if (call_of(m, op) > c->read_call) {
		c->read_call = call_of(m, op);
		c->last_reader = op;
	}
}

/* Gives reads and compare-and-sets to the clusters they saw. */
static bool collect_observers(struct register_monitor *m)
{
	for (uint32_t i = 0; i < m->part->nops; i++) {
		const struct register_op *o = &m->ops[i];
		uint32_t seen, own;

		if (o->kind == REGISTER_WRITE)
			continue;
		seen = *slot_of(m, o->from);
		if (!seen--)
			return violation(m, i, NOBODY);
		if (o->kind == REGISTER_READ) {
			add_read(m, &m->clusters[seen], i);
			continue;
		}
		own = *slot_of(m, o->to) - 1;
		if (m->clusters[seen].after != NOBODY)
			return violation(m, i, m->clusters[m->clusters[seen].after].writer);
		m->clusters[seen].after = own;
		m->clusters[own].before = seen;
	}
	return true;
}

static void widen(struct block *b, int64_t ret, uint32_t ret_op, int64_t call, uint32_t call_op)
{
	if (ret < b->f) {
		b->f = ret;
		b->f_op = ret_op;
	}
	if (call > b->s) {
		b->s = call;
		b->s_op = call_op;
	}
}

/* Walks a chain of clusters and checks the order inside; `seen` counts clusters. */
static bool walk(struct register_monitor *m, uint32_t head, uint32_t *seen)
{
	struct block b = { INT64_MAX, -1, NOBODY, NOBODY, head };
	uint32_t last = NOBODY; /* who was called last so far */
	int64_t limit = -1;

	for (uint32_t i = head; i != NOBODY; i = m->clusters[i].after) {
		const struct cluster *c = &m->clusters[i];

		++*seen;
		if (c->writer == NOBODY) {
			b.f = 0;
			limit = 0;
		} else {
			if (return_of(m, c->writer) < limit)
				return violation(m, c->writer, last);
			if (call_of(m, c->writer) > limit) {
				limit = call_of(m, c->writer);
				last = c->writer;
			}
			widen(&b, return_of(m, c->writer), c->writer, call_of(m, c->writer),
			      c->writer);
		}
		if (c->first_reader == NOBODY)
			continue;
		if (c->read_return < limit)
			return violation(m, c->first_reader, last);
		if (c->read_call > limit) {
			limit = c->read_call;
			last = c->last_reader;
		}
		widen(&b, c->read_return, c->first_reader, c->read_call, c->last_reader);
	}
	m->blocks[m->nblocks++] = b;
	return true;
}

/* A write that never returned and that nobody saw did not happen. */
static bool unseen(const struct register_monitor *m, const struct cluster *c)
{
	return c->writer != NOBODY && (m->part->ops[c->writer].flags & OP_PENDING) &&
	       c->after == NOBODY && c->first_reader == NOBODY;
}

static bool make_blocks(struct register_monitor *m)
{
	uint32_t seen = 0;

	for (uint32_t i = 0; i < m->nclusters; i++) {
		const struct cluster *c = &m->clusters[i];

		if (c->before != NOBODY)
			continue;
		if (unseen(m, c))
			seen++;
		else if (!walk(m, i, &seen))
			return false;
	}
	if (seen == m->nclusters)
		return true;
	/* What was not reached replaces one another in a circle. */
	for (uint32_t i = 0; i < m->nclusters; i++)
		if (m->clusters[i].before != NOBODY)
			core_add(m->core, m->clusters[i].writer);
	return false;
}

static int by_f(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->f > y->f) - (x->f < y->f);
}

static void add_chain(struct register_monitor *m, const struct block *b)
{
	for (uint32_t i = b->head; i != NOBODY; i = m->clusters[i].after)
		if (m->clusters[i].writer != NOBODY)
			core_add(m->core, m->clusters[i].writer);
	if (b->f_op != NOBODY)
		core_add(m->core, b->f_op);
	if (b->s_op != NOBODY)
		core_add(m->core, b->s_op);
}

/* Looks for two blocks that exclude each other: for each, the one with the greatest s among those
 * with f below its s. */
static bool compare_blocks(struct register_monitor *m)
{
	uint32_t *best = xreallocarray(NULL, m->nblocks, sizeof *best);
	bool ok = true;

	qsort(m->blocks, m->nblocks, sizeof *m->blocks, by_f);
	for (uint32_t i = 0; i < m->nblocks && ok; i++) {
		const struct block *b = &m->blocks[i];
		uint32_t low = 0, high = i;

		best[i] = i && m->blocks[best[i - 1]].s >= b->s ? best[i - 1] : i;
		while (low < high) {
			uint32_t middle = (low + high) / 2;

			if (m->blocks[middle].f < b->s)
				low = middle + 1;
			else
				high = middle;
		}
		if (low && m->blocks[best[low - 1]].s > b->f) {
			add_chain(m, &m->blocks[best[low - 1]]);
			add_chain(m, b);
			ok = false;
		}
	}
	free(best);
	return ok;
}

enum monitor_answer monitor_register(const struct lin_part *part,
				     bool (*classify)(const struct lin_part *,
						      const struct lin_op *, struct register_op *),
				     int64_t initial, struct monitor_core *core)
{
	struct register_monitor m = { .part = part, .mask = 15, .core = core };
	enum monitor_answer answer = MONITOR_DECLINES;
	uint32_t n = part->nops;

	m.ops = xreallocarray(NULL, n, sizeof *m.ops);
	for (uint32_t i = 0; i < n; i++)
		if (!classify(part, &part->ops[i], &m.ops[i])) {
			free(m.ops);
			return MONITOR_DECLINES;
		}
	while (m.mask < 2 * n)
		m.mask = 2 * m.mask + 1;
	m.slots = xcalloc((size_t)m.mask + 1, sizeof *m.slots);
	m.clusters = xreallocarray(NULL, n + 1, sizeof *m.clusters);
	m.blocks = xreallocarray(NULL, n + 1, sizeof *m.blocks);
	if (collect_writes(&m, initial))
		answer = collect_observers(&m) && make_blocks(&m) && compare_blocks(&m)
				 ? MONITOR_OK
				 : MONITOR_VIOLATION;
	free(m.ops);
	free(m.slots);
	free(m.clusters);
	free(m.blocks);
	return answer;
}
