/* SPDX-License-Identifier: MIT
 *
 * Which lock is taken while which is held, in the whole file, with the calls of functions in it; and
 * whether one more would make a circle.
 */
#include "fix/locks.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EDGES 512
#define MAX_DEPTH 12

struct graph {
	const struct locks *l;
	struct {
		const char *held, *taken;
		uint32_t line;
	} edges[MAX_EDGES];
	unsigned n;
};

static void add_edge(struct graph *g, const char *held, const char *taken, uint32_t line)
{
	for (unsigned i = 0; i < g->n; i++)
		if (!strcmp(g->edges[i].held, held) && !strcmp(g->edges[i].taken, taken))
			return;
	if (g->n < MAX_EDGES) {
		g->edges[g->n].held = held;
		g->edges[g->n].taken = taken;
		g->edges[g->n].line = line;
		g->n++;
	}
}

/* The lock that a call takes in this function; NULL: none. */
static const struct lock *taken_by(const struct locks *l, const struct node *function,
				   const struct node *call)
{
	for (size_t i = 0; i < l->n; i++) {
		enum lock_call what;

		if (l->list[i].function != function)
			continue;
		what = lock_call(l, &l->list[i], call);
		if (what == CALL_TAKE || what == CALL_TAKE_SHARED || what == CALL_WAIT)
			return &l->list[i];
	}
	return NULL;
}

/* Edges from `held` to all that is taken in a function and below it. */
static void add_below(struct graph *g, const char *held, const struct node *function, uint32_t line,
		      unsigned depth)
{
	for (struct node *n = (struct node *)function; n; n = node_next(function, n)) {
		const struct lock *lock;
		const struct node *f;

		if (n->kind != NODE_CALL)
			continue;
		lock = taken_by(g->l, function, n);
		if (lock)
			add_edge(g, held, lock->class, line ? line : n->line);
		f = unit_function(g->l->u, n->name);
		if (f && depth < MAX_DEPTH)
			add_below(g, held, f, line ? line : n->line, depth + 1);
	}
}

static void add_call(struct graph *g, const char *held, const struct node *function,
		     const struct node *n)
{
	const struct lock *lock = taken_by(g->l, function, n);
	const struct node *f = unit_function(g->l->u, n->name);

	if (lock)
		add_edge(g, held, lock->class, n->line);
	else if (f)
		add_below(g, held, f, n->line, 0);
}

static void add_file(struct graph *g)
{
	for (size_t i = 0; i < g->l->n; i++) {
		const struct lock *lock = &g->l->list[i];
		struct node *f = (struct node *)lock->function;

		lock_flow(g->l, lock, f);
		for (struct node *n = f; n; n = node_next(f, n))
			if (n->kind == NODE_CALL &&
			    (n->before == HELD_YES || n->before == HELD_SHARED) &&
			    lock_call(g->l, lock, n) != CALL_WAIT)
				add_call(g, lock->class, f, n);
	}
}

static bool reaches(const struct graph *g, const char *from, const char *to, unsigned depth)
{
	for (unsigned i = 0; i < g->n && depth < MAX_DEPTH; i++)
		if (!strcmp(g->edges[i].held, from) &&
		    (!strcmp(g->edges[i].taken, to) ||
		     reaches(g, g->edges[i].taken, to, depth + 1)))
			return true;
	return false;
}

/* What is held where the range begins. */
static void add_held(struct graph *g, const struct lock *lock, const char *class,
		     const struct range *r)
{
	for (size_t i = 0; i < g->l->n; i++) {
		const struct lock *other = &g->l->list[i];

		if (other->function != r->function ||
		    (lock && !strcmp(other->text, lock->text) && !strcmp(other->take, lock->take)))
			continue;
		lock_flow(g->l, other, r->function);
		if (r->first->before != HELD_NO && r->first->before != HELD_NEVER)
			add_edge(g, other->class, class, r->first->line);
	}
}

bool order_breaks(const struct locks *l, const struct lock *lock, const char *class,
		  const struct range *r, char **why)
{
	struct graph g = { .l = l };
	unsigned known;
	bool circle;

	add_file(&g);
	known = g.n;
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n)) {
		if (n->kind != NODE_CALL || !n->name ||
		    (lock && lock_call(l, lock, n) != CALL_NONE))
			continue;
		add_call(&g, class, r->function, n);
	}
	for (unsigned i = known; i < g.n; i++) {
		if (strcmp(g.edges[i].taken, class) != 0)
			continue;
		*why = xasprintf("line %u takes %s itself", g.edges[i].line, class);
		return true;
	}
	add_held(&g, lock, class, r);
	for (unsigned i = known; i < g.n; i++) {
		circle = reaches(&g, g.edges[i].taken, g.edges[i].held, 0);
		if (!circle)
			continue;
		*why = xasprintf("%s would be taken while %s is held, and elsewhere the other way "
				 "round: a deadlock",
				 g.edges[i].taken, g.edges[i].held);
		return true;
	}
	return false;
}
