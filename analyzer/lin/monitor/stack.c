/* SPDX-License-Identifier: MIT
 *
 * Stack with distinct values, in O(n log n).
 *
 * A value whose push and pop overlap can be pushed and popped at one moment and never matters.
 * Every other value v has a critical interval C(v), from the return of its push to the call of its
 * pop, in which it is surely inside; values that are never popped get a pop behind everything. A
 * moment outside all critical intervals is one where the stack may be thought empty: whatever runs
 * there can take place there, at the bottom. When both operations of v took place at such moments,
 * v is laid below everything and C(v) no longer counts, which may free further moments. The history
 * is linearizable iff this goes on until no value is left; the values that are left otherwise are
 * not linearizable by themselves.
 *
 * Moments are gaps between events. Only gaps between a call and a return that follows it count:
 * moving a moment later over a call, or earlier over a return, puts it into more operations and
 * fewer critical intervals. The depth of gaps (how many critical intervals) is a segment tree with
 * addition to a range and minimum; operations that have not taken place are a tree over their first
 * gaps that keeps the greatest last gap.
 */
#include "lin/monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#define USED (INT32_MAX / 2) /* depth of a gap that has been used */

struct gaps { /* by item: number of gaps before the four events */
	uint32_t as, ae, rs, re;
};

struct stack_monitor {
	const struct collection *c;
	struct gaps *gaps;
	uint32_t ngaps; /* the last one is behind everything */

	uint32_t size; /* leaves of the depth tree, a power of two */
	/* minimum below a node (with its plus), what is to be added to the whole node */
	int32_t *low, *plus;

	/* intervals that have not taken place, by first gap: 2 * item + (1 for a pop) */
	uint32_t *runs;
	uint32_t *upto; /* by gap: how many intervals begin at it or before */
	uint32_t nruns, run_size;
	uint32_t *ends;  /* max tree over runs: gap behind the interval; 0: has taken place */
	uint8_t *halves; /* by item: operations that have not taken place */
	uint32_t left;   /* items */
};

/* Numbers the gaps and puts every event of an item behind as many of them as there are. */
static void number_gaps(struct stack_monitor *m)
{
	const struct collection *c = m->c;
	const struct lin_part *p = c->part;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nitems; i++)
		m->gaps[i] = (struct gaps){ FOREVER, FOREVER, FOREVER, FOREVER };
	for (uint32_t e = 0; e < p->nevents; e++) {
		uint32_t op = p->events[e] / 2, i = c->item_of[op];
		bool is_return = p->events[e] & 1;

		if (is_return && !(p->events[e - 1] & 1))
			n++;
		if (i == FOREVER)
			continue;
		if (c->items[i].add == op)
			*(is_return ? &m->gaps[i].ae : &m->gaps[i].as) = n;
		else
			*(is_return ? &m->gaps[i].re : &m->gaps[i].rs) = n;
	}
	m->ngaps = n + 1;
	for (uint32_t i = 0; i < c->nitems; i++) {
		struct gaps *g = &m->gaps[i];

		if (g->ae == FOREVER)
			g->ae = m->ngaps;
		if (g->rs == FOREVER)
			g->rs = n;
		if (g->re == FOREVER)
			g->re = m->ngaps;
	}
}

/* Does the value matter: does its push return before its pop is called? */
static bool matters(const struct item *item)
{
	return item->t.ae < item->t.rs;
}

static void pull(struct stack_monitor *m, uint32_t i)
{
	for (i /= 2; i; i /= 2) {
		int32_t a = m->low[2 * i], b = m->low[2 * i + 1];

		m->low[i] = (a < b ? a : b) + m->plus[i];
	}
}

static void add_range(struct stack_monitor *m, uint32_t from, uint32_t to, int32_t v)
{
	uint32_t l = from + m->size, r = to + m->size, first = l, last = r - 1;

	if (from >= to)
		return;
	for (; l < r; l /= 2, r /= 2) {
		if (l & 1) {
			m->low[l] += v;
			if (l < m->size)
				m->plus[l] += v;
			l++;
		}
		if (r & 1) {
			r--;
			m->low[r] += v;
			if (r < m->size)
				m->plus[r] += v;
		}
	}
	pull(m, first);
	if (last != first)
		pull(m, last);
}

/* A gap of depth 0, marked as used; or FOREVER. */
static uint32_t take_gap(struct stack_monitor *m)
{
	uint32_t i = 1;

	if (m->low[1] > 0)
		return FOREVER;
	while (i < m->size)
		i = m->low[2 * i] <= m->low[2 * i + 1] ? 2 * i : 2 * i + 1;
	m->low[i] = USED;
	pull(m, i);
	return i - m->size;
}

/* The depths to begin with, from the differences at the ends of critical intervals. */
static void make_depths(struct stack_monitor *m)
{
	int32_t *leaf, depth = 0;

	for (m->size = 1; m->size < m->ngaps; m->size *= 2)
		;
	m->low = xcalloc(2 * (size_t)m->size, sizeof *m->low);
	m->plus = xcalloc(m->size, sizeof *m->plus);
	leaf = m->low + m->size;
	for (uint32_t i = 0; i < m->c->nitems; i++)
		if (matters(&m->c->items[i])) {
			leaf[m->gaps[i].ae]++;
			if (m->gaps[i].rs < m->size)
				leaf[m->gaps[i].rs]--;
		}
	for (uint32_t g = 0; g < m->size; g++) {
		depth += leaf[g];
		leaf[g] = g < m->ngaps ? depth : USED;
	}
	for (uint32_t i = m->size - 1; i; i--)
		m->low[i] = m->low[2 * i] < m->low[2 * i + 1] ? m->low[2 * i] : m->low[2 * i + 1];
}

static uint32_t end_gap(const struct stack_monitor *m, uint32_t run)
{
	return run & 1 ? m->gaps[run / 2].re : m->gaps[run / 2].ae;
}

static void make_runs(struct stack_monitor *m)
{
	const struct collection *c = m->c;
	uint32_t total = 0;

	m->upto = xcalloc(m->ngaps + 1, sizeof *m->upto);
	m->halves = xcalloc(c->nitems, 1);
	for (uint32_t i = 0; i < c->nitems; i++) {
		if (!matters(&c->items[i]))
			continue;
		m->halves[i] = 2;
		m->left++;
		m->upto[m->gaps[i].as]++;
		m->upto[m->gaps[i].rs]++;
	}
	for (uint32_t g = 0; g < m->ngaps; g++) {
		uint32_t n = m->upto[g];

		m->upto[g] = total;
		total += n;
	}
	m->nruns = total;
	m->runs = xreallocarray(NULL, total, sizeof *m->runs);
	for (uint32_t i = 0; i < c->nitems; i++)
		if (matters(&c->items[i])) {
			m->runs[m->upto[m->gaps[i].as]++] = 2 * i;
			m->runs[m->upto[m->gaps[i].rs]++] = 2 * i + 1;
		}
	for (m->run_size = 1; m->run_size < total; m->run_size *= 2)
		;
	m->ends = xcalloc(2 * (size_t)m->run_size, sizeof *m->ends);
	for (uint32_t k = 0; k < total; k++)
		m->ends[m->run_size + k] = end_gap(m, m->runs[k]);
	for (uint32_t k = m->run_size - 1; k; k--)
		m->ends[k] =
			m->ends[2 * k] > m->ends[2 * k + 1] ? m->ends[2 * k] : m->ends[2 * k + 1];
}

/* The operation takes place; with the other one of its item the critical interval goes. */
static void retire(struct stack_monitor *m, uint32_t k)
{
	uint32_t item = m->runs[k] / 2;

	for (m->ends[k += m->run_size] = 0; k > 1; k /= 2) {
		uint32_t a = m->ends[k], b = m->ends[k ^ 1], best = a > b ? a : b;

		if (m->ends[k / 2] == best)
			break;
		m->ends[k / 2] = best;
	}
	if (--m->halves[item])
		return;
	m->left--;
	add_range(m, m->gaps[item].ae, m->gaps[item].rs, -1);
}

/* Retires every run of the first `upto` below `node` (which spans `from` .. from + width) that ends
 * behind the gap. */
static void retire_below(struct stack_monitor *m, uint32_t node, uint32_t from, uint32_t width,
			 uint32_t upto, uint32_t gap)
{
	if (from >= upto || m->ends[node] <= gap)
		return;
	if (width == 1) {
		retire(m, from);
		return;
	}
	retire_below(m, 2 * node, from, width / 2, upto, gap);
	retire_below(m, 2 * node + 1, from + width / 2, width / 2, upto, gap);
}

static void report(const struct stack_monitor *m, struct monitor_core *core)
{
	for (uint32_t i = 0; i < m->c->nitems && core; i++)
		if (m->halves[i])
			core_add_item(core, m->c, i);
}

bool monitor_stack(const struct collection *c, struct monitor_core *core)
{
	struct stack_monitor m = { .c = c };
	uint32_t gap;
	bool ok;

	m.gaps = xreallocarray(NULL, c->nitems, sizeof *m.gaps);
	number_gaps(&m);
	make_depths(&m);
	make_runs(&m);
	while (m.left && (gap = take_gap(&m)) != FOREVER)
		retire_below(&m, 1, 0, m.run_size, m.upto[gap], gap);
	ok = !m.left;
	if (!ok)
		report(&m, core);
	free(m.gaps);
	free(m.low);
	free(m.plus);
	free(m.runs);
	free(m.upto);
	free(m.ends);
	free(m.halves);
	return ok;
}
