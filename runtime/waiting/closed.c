/* SPDX-License-Identifier: MIT
 *
 * A closed set is a strongly connected component of the graph of states that nothing leads out of.
 * One is found by going on, from a node, to any that it reaches and that does not reach it, as long
 * as there is one: then all that it reaches reach it.
 */
#include "../closed.h"
#include "../memory.h"
#include "../state.h"

#define MAX_EDGES 16384
#define NODES     4096

static struct graph {
	struct edge {
		uint32_t from, to;
		struct event step;
	} edges[MAX_EDGES];
	uint32_t n;
	uint8_t reaches[NODES], reached[NODES];
} *g;

void closed_init(void)
{
	g = memory_get(sizeof *g);
}

void closed_begin(void)
{
	g->n = 0;
}

void closed_edge(uint32_t from, uint32_t to, const struct event *step)
{
	if (g->n == MAX_EDGES)
		return;
	g->edges[g->n++] = (struct edge){ from, to, *step };
}

/* Marks all nodes that can be reached from one, or from which that one can be reached. */
static void spread(uint8_t *marks, uint32_t node, uint32_t nodes, bool backwards)
{
	bool more = true;

	zero(marks, nodes);
	marks[node] = 1;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < g->n; i++) {
			uint32_t from = backwards ? g->edges[i].to : g->edges[i].from;
			uint32_t to = backwards ? g->edges[i].from : g->edges[i].to;

			if (marks[from] && !marks[to])
				marks[to] = more = 1;
		}
	}
}

static bool listed(const struct closed *c, const struct event *e)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->steps[i].thread == e->thread && c->steps[i].pc == e->pc &&
		    c->steps[i].addr == e->addr)
			return true;
	return false;
}

struct closed *closed_find(uint32_t nodes, const uint64_t *states)
{
	struct closed *c = memory_get(sizeof *c);
	uint32_t node = 0, next = 0;

	do {
		node = next;
		spread(g->reached, node, nodes, false);
		spread(g->reaches, node, nodes, true);
		for (next = 0; next < nodes && (!g->reached[next] || g->reaches[next]); next++)
			;
	} while (next < nodes);
	c->node = node;
	c->name = UINT64_MAX;
	for (uint32_t i = 0; i < nodes; i++)
		if (g->reached[i] && states[i] < c->name)
			c->name = states[i];
	for (unsigned thread = 0; thread < rt->nfibers; thread++)
		for (uint32_t i = 0; i < g->n && c->n < MAX_PARTS_CLOSED; i++) {
			const struct edge *e = &g->edges[i];

			if (e->step.thread == thread && g->reached[e->from] && !listed(c, &e->step))
				c->steps[c->n++] = e->step;
		}
	return c;
}
