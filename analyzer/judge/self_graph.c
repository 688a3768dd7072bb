/* SPDX-License-Identifier: MIT
 *
 * The graph of sequential executions, from what the runtime has written: for each execution, in the
 * order of the trace, the states at which something was chosen (RUNDIR/states, see
 * format/run_dir.h). The operations between them are in the trace.
 *
 * A state is open if not all that could have been chosen there was, or if an execution ended badly
 * after it, before other threads could do what they might have done otherwise. A deadlock is no such
 * end: nobody could.
 */
#include "judge/self_private.h"
#include "judge/verdict.h"
#include "run/outcome.h"

#include <stdlib.h>
#include <string.h>

struct choice {
	uint32_t node;
	bool call, inside; /* an operation began; was open */
	uint32_t op;       /* index of the operation, with call */
};

struct seen { /* of a node: threads that could be chosen, and those that were */
	uint64_t could, did;
	uint32_t owner; /* the node at which the operation began that is open here; or itself */
};

struct graph {
	struct self *s;
	char *text, *at; /* of the file */
	struct choice *path;
	uint32_t length, capacity;
	uint32_t known; /* so many of the path have their edges */
	uint32_t met; /* the node at which the execution ends; 0: it went to its own end */
	struct seen *seen;
	uint32_t seen_capacity;
};

/* ---- the file ---- */

static bool number(struct graph *g, int base, uint64_t *value)
{
	char *end;

	if (!*g->at || !strchr("0123456789abcdef", *g->at))
		return false;
	*value = strtoull(g->at, &end, base);
	g->at = end;
	return true;
}

/* Nodes are numbered from 1 as they come. */
static bool read_node(struct graph *g, uint32_t *node)
{
	struct orders *o = &g->s->orders;
	uint64_t n;

	if (!number(g, 10, &n) || !n || n > UINT32_MAX - 2)
		return false;
	n += ORDERS_ANYTHING;
	if (n > o->nnodes)
		return false;
	if (n == o->nnodes)
		orders_add(o);
	*node = (uint32_t)n;
	while (g->seen_capacity < o->nnodes) {
		uint32_t capacity = g->seen_capacity * 2 + 64;

		g->seen = xreallocarray(g->seen, capacity, sizeof *g->seen);
		memset(g->seen + g->seen_capacity, 0,
		       (capacity - g->seen_capacity) * sizeof *g->seen);
		g->seen_capacity = capacity;
	}
	return true;
}

static bool read_choice(struct graph *g)
{
	struct choice c = { 0 };
	uint64_t could, thread;

	if (!read_node(g, &c.node) || *g->at++ != '/' || !number(g, 16, &could) ||
	    *g->at++ != '/' || !number(g, 10, &thread) || thread > 63)
		return false;
	c.call = *g->at == '+';
	c.inside = *g->at == '-';
	g->at += c.call || c.inside;
	g->seen[c.node].could |= could;
	g->seen[c.node].did |= 1ULL << thread;
	if (!g->seen[c.node].owner)
		g->seen[c.node].owner = c.node;
	for (uint32_t i = g->length; c.inside && i-- > 0;)
		if (g->path[i].call) {
			g->seen[c.node].owner = g->path[i].node;
			break;
		}
	VEC_GROW(g->path, g->length, g->capacity);
	g->path[g->length++] = c;
	return true;
}

/* The line of the next execution; false if there is none, or it is cut off or damaged. */
static bool read_line(struct graph *g)
{
	uint64_t kept;

	g->met = 0;
	if (!strchr(g->at, '\n') || !number(g, 10, &kept) || kept > g->length)
		return false;
	g->length = (uint32_t)kept;
	if (g->known > g->length)
		g->known = g->length;
	while (*g->at == ' ') {
		g->at++;
		if (*g->at == '=') {
			g->at++;
			if (!read_node(g, &g->met))
				return false;
			break;
		}
		if (!read_choice(g))
			return false;
	}
	return *g->at++ == '\n';
}

/* ---- the graph ---- */

/* Gives the calls of the path their operations. One inside another one is no step of its own. */
static bool find_operations(struct graph *g, const struct trace *t)
{
	uint32_t op = 0, end = 0;

	for (uint32_t i = 0; i < g->length; i++) {
		if (!g->path[i].call)
			continue;
		while (op < t->nops && op && t->ops[op].call < end)
			op++;
		if (op == t->nops)
			return false;
		end = t->ops[op].ret_event;
		g->path[i].op = op++;
	}
	return true;
}

static void add_operation(struct graph *g, const struct trace *t, uint32_t from, uint32_t to,
			  uint32_t op)
{
	struct self *s = g->s;
	uint32_t end = t->ops[op].ret_event;

	if (end == NONE)
		return;
	/* Operations inside this one come one after the other, behind it. */
	while (op + 1 < t->nops && t->ops[op + 1].call < end && t->ops[op + 1].ret_event != NONE) {
		uint32_t between = orders_add(&s->orders);

		orders_edge(&s->orders, from, between, self_object(s, s->run, t->ops[op].object),
			    self_symbol(s, s->run, &t->ops[op]), operation_value(&t->ops[op]));
		from = between;
		op++;
	}
	orders_edge(&s->orders, from, to, self_object(s, s->run, t->ops[op].object),
		    self_symbol(s, s->run, &t->ops[op]), operation_value(&t->ops[op]));
}

/* Which operations return, and which wait instead. */
static void note_returns(struct graph *g, const struct trace *t)
{
	bool waits = t->outcome.kind == LP_OUT_DEADLOCK || t->outcome.kind == LP_OUT_LIVELOCK;

	for (uint32_t i = 0; i < t->nops; i++) {
		struct self_method *m = self_method(g->s, g->s->run, &t->ops[i]);

		m->waited |= t->ops[i].ret_event == NONE && waits;
		if (t->ops[i].ret_event == NONE)
			continue;
		m->returned = true;
		self_result(g->s, g->s->run, &t->ops[i]);
	}
	g->s->nshown = g->s->results.n;
}

static bool is_end(const struct outcome *o)
{
	return o->kind == LP_OUT_OK || o->kind == LP_OUT_DEADLOCK || o->kind == LP_OUT_LIVELOCK ||
	       (o->kind == LP_OUT_EXIT && !o->code);
}

static bool add_execution(struct graph *g, const struct trace *t)
{
	struct orders *o = &g->s->orders;
	uint32_t to = g->met ? g->met : is_end(&t->outcome) ? ORDERS_NOTHING : ORDERS_ANYTHING;

	if (!find_operations(g, t))
		return false;
	note_returns(g, t);
	if (!o->root && g->length)
		o->root = g->path[0].node;
	else if (!o->root && g->met)
		o->root = g->met;
	for (uint32_t i = g->length; i-- > 0;) {
		const struct choice *c = &g->path[i];

		if (c->inside)
			continue;
		if (i >= g->known || (i + 1 == g->known && c->call)) {
			if (!c->call)
				orders_edge(o, c->node, to, ORDERS_SILENT, 0, (struct value){ 0 });
			else if (t->ops[c->op].ret_event == NONE && !is_end(&t->outcome))
				orders_open(o, c->node);
			else
				add_operation(g, t, c->node, to, c->op);
		}
		to = c->node;
	}
	g->known = g->length;
	return true;
}

/* It waited in vain, and is no class: others show what is possible. What it chose behind an operation is not
 * known from them. */
static void skip_execution(struct graph *g)
{
	bool called = false;

	for (uint32_t i = 0; i < g->length; i++) {
		if (called && i >= g->known && !g->path[i].inside && !g->path[i].call)
			orders_open(&g->s->orders, g->path[i].node);
		called |= g->path[i].call;
	}
}

static void find_open(struct graph *g)
{
	struct orders *o = &g->s->orders;

	for (uint32_t n = ORDERS_ANYTHING + 1; n < o->nnodes && n < g->seen_capacity; n++)
		if (g->seen[n].could & ~g->seen[n].did)
			orders_open(o, g->seen[n].owner);
	if (!o->root && !g->s->executions) {
		o->root = ORDERS_ANYTHING;
		o->nopen++;
	}
}

int self_read_graph(struct self *s, struct error *e)
{
	char *path = xasprintf("%s/states", s->run->directory);
	struct graph g = { .s = s };
	struct trace t = { 0 };
	size_t size;
	int more = 0;

	g.text = g.at = read_file(path, &size, e);
	free(path);
	if (!g.text)
		return -1;
	while (read_line(&g)) {
		if (*g.at == '~') {
			g.at++;
			skip_execution(&g);
			continue;
		}
		more = run_next(s->run, &t, e);
		if (more == 0) /* the last line has none behind it to say so */
			skip_execution(&g);
		if (more != 1 || !add_execution(&g, &t))
			break;
		s->executions++;
	}
	find_open(&g);
	s->complete = !*g.at && !s->orders.nopen && search_complete(&s->run->status);
	trace_free(&t);
	free(g.text);
	free(g.path);
	free(g.seen);
	return more < 0 ? -1 : 0;
}
