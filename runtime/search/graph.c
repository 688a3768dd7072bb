/* SPDX-License-Identifier: MIT */
#include "graph.h"
#include "../memory.h"
#include "../sched.h"

#define FIRST 4096u

void graph_make(struct graph *g)
{
	g->capacity = g->edges_capacity = g->labels_capacity = g->stack_capacity = FIRST;
	g->nodes = memory_get(g->capacity * sizeof *g->nodes);
	g->edges = memory_get(g->edges_capacity * sizeof *g->edges);
	g->labels = memory_get(g->labels_capacity * sizeof *g->labels);
	g->label_stamps = memory_get(g->labels_capacity * sizeof *g->label_stamps);
	g->stack = memory_get(g->stack_capacity * sizeof *g->stack);
	g->mask = g->label_mask = 4 * FIRST - 1;
	g->slots = memory_get((g->mask + 1UL) * sizeof *g->slots);
	g->label_slots = memory_get((g->label_mask + 1UL) * sizeof *g->label_slots);
}

void graph_forget(struct graph *g)
{
	zero(g->slots, (g->mask + 1UL) * sizeof *g->slots);
	zero(g->label_slots, (g->label_mask + 1UL) * sizeof *g->label_slots);
	g->n = g->nedges = g->nlabels = 0;
}

/* ---- nodes ---- */

static bool told(const struct state_sum *s)
{
	return s->a || s->b;
}

static uint32_t *slot_of(const struct graph *g, const struct state_sum *s)
{
	uint32_t i = (uint32_t)(s->b >> 32) & g->mask;

	while (g->slots[i] && !(g->nodes[g->slots[i]].state.a == s->a && g->nodes[g->slots[i]].state.b == s->b))
		i = (i + 1) & g->mask;
	return &g->slots[i];
}

static void enter_all(struct graph *g)
{
	for (uint32_t i = 1; i <= g->n; i++)
		if (told(&g->nodes[i].state))
			*slot_of(g, &g->nodes[i].state) = i;
}

uint32_t graph_find(const struct graph *g, const struct state_sum *state)
{
	return *slot_of(g, state);
}

uint32_t graph_add(struct graph *g, const struct state_sum *state)
{
	struct node *n;

	if (g->n + 2 >= g->capacity) {
		g->nodes = memory_twice(g->nodes, &g->capacity, sizeof *g->nodes);
		g->mask = 4 * g->capacity - 1;
		g->slots = memory_get((g->mask + 1UL) * sizeof *g->slots);
		enter_all(g);
	}
	n = &g->nodes[++g->n];
	*n = (struct node){ .edges = 0 };
	if (state) {
		n->state = *state;
		*slot_of(g, state) = g->n;
	}
	return g->n;
}

void graph_shrink(struct graph *g, uint32_t nodes, uint32_t edges)
{
	if (g->n == nodes && g->nedges == edges)
		return;
	for (uint32_t i = 1; i <= nodes; i++)
		while (g->nodes[i].edges > edges) /* the latest comes first */
			g->nodes[i].edges = g->edges[g->nodes[i].edges].next;
	g->n = nodes;
	g->nedges = edges;
	zero(g->slots, (g->mask + 1UL) * sizeof *g->slots);
	enter_all(g);
}

/* ---- what steps do ---- */

void label_of(struct label *l, const struct event *e)
{
	zero(l, sizeof *l); /* what lies between its members, too: all of it is compared */
	l->addr = e->addr;
	l->addr2 = e->addr2;
	l->size = e->size;
	l->kind = e->kind;
	l->flags = e->flags;
	l->thread = e->thread;
	l->access = e->access;
	l->reads_own = e->reads_own;
}

static void event_of(struct event *e, const struct label *l)
{
	e->addr = l->addr;
	e->addr2 = l->addr2;
	e->size = l->size;
	e->kind = l->kind;
	e->flags = l->flags;
	e->thread = l->thread;
	e->access = l->access;
	e->reads_own = l->reads_own;
}

bool labels_conflict(const struct label *a, const struct label *b)
{
	struct event x, y;

	if (a->any || b->any)
		return true;
	event_of(&x, a);
	event_of(&y, b);
	return events_conflict(&x, &y);
}

static uint32_t *label_slot(const struct graph *g, const struct label *l)
{
	uint64_t h = mix(mix(l->addr, l->addr2), l->size | (uint64_t)l->kind << 32 | (uint64_t)l->thread << 40 |
							 (uint64_t)l->access << 48 | (uint64_t)l->flags << 56);
	uint32_t i = (uint32_t)(h >> 20) & g->label_mask;

	while (g->label_slots[i] && !same(&g->labels[g->label_slots[i] - 1], l, sizeof *l))
		i = (i + 1) & g->label_mask;
	return &g->label_slots[i];
}

static uint32_t label_number(struct graph *g, const struct label *l)
{
	uint32_t *slot = label_slot(g, l);

	if (*slot)
		return *slot - 1;
	if (g->nlabels == g->labels_capacity) {
		g->labels = memory_twice(g->labels, &g->labels_capacity, sizeof *g->labels);
		g->label_stamps = memory_get(g->labels_capacity * sizeof *g->label_stamps);
		g->label_mask = 4 * g->labels_capacity - 1;
		g->label_slots = memory_get((g->label_mask + 1UL) * sizeof *g->label_slots);
		for (uint32_t i = 0; i < g->nlabels; i++)
			*label_slot(g, &g->labels[i]) = i + 1;
		slot = label_slot(g, l);
	}
	g->labels[g->nlabels++] = *l;
	return (*slot = g->nlabels) - 1;
}

/* ---- edges ---- */

uint32_t graph_edge(struct graph *g, uint32_t from, const struct label *label, uint32_t to)
{
	uint32_t number = label_number(g, label);

	if (g->nedges + 2 >= g->edges_capacity)
		g->edges = memory_twice(g->edges, &g->edges_capacity, sizeof *g->edges);
	g->edges[++g->nedges] = (struct edge){ to, number, g->nodes[from].edges };
	return g->nodes[from].edges = g->nedges;
}

const struct edge *graph_edge_of(const struct graph *g, uint32_t node, unsigned thread)
{
	uint32_t i = g->nodes[node].edges;

	while (i && g->labels[g->edges[i].label].thread != thread)
		i = g->edges[i].next;
	return i ? &g->edges[i] : NULL;
}

static void visit(struct graph *g, uint32_t node, uint32_t *n)
{
	if (node == NO_NODE || g->nodes[node].stamp == g->stamp)
		return;
	g->nodes[node].stamp = g->stamp;
	if (*n == g->stack_capacity)
		g->stack = memory_twice(g->stack, &g->stack_capacity, sizeof *g->stack);
	g->stack[(*n)++] = node;
}

void graph_walk(struct graph *g, uint32_t node, const struct walk *w)
{
	uint32_t n = 0;

	g->stamp++;
	visit(g, node, &n);
	while (n) {
		const struct node *from = &g->nodes[g->stack[--n]];

		if (from->open && w->open(w->data, from))
			return;
		for (uint32_t i = from->edges; i; i = g->edges[i].next) {
			uint32_t label = g->edges[i].label;

			if (g->label_stamps[label] != g->stamp && w->edge(w->data, &g->labels[label]))
				return;
			g->label_stamps[label] = g->stamp;
			visit(g, g->edges[i].to, &n);
		}
	}
}

/* In the order in which the search has left them, what comes after a node nearly always comes before it, so that
 * few rounds are enough. */
bool graph_has_trap(struct graph *g)
{
	uint32_t reached = 0, before;

	g->stamp++;
	do {
		before = reached;
		for (uint32_t i = g->n; i > 0; i--) {
			struct node *n = &g->nodes[i];
			bool ends = !n->edges; /* an end that is more than a place */

			for (uint32_t k = n->edges; k && !ends; k = g->edges[k].next)
				ends = g->edges[k].to == NO_NODE || g->nodes[g->edges[k].to].stamp == g->stamp;
			if (ends && n->stamp != g->stamp) {
				n->stamp = g->stamp;
				reached++;
			}
		}
	} while (reached != before && reached != g->n);
	return reached != g->n;
}
