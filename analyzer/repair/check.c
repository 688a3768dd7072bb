/* SPDX-License-Identifier: MIT
 *
 * Is a static repair an eliminator of a trace? (Cirisci et al., CAV 2020.)
 *
 * Each operation's consecutive events that lie inside one block instance are one node, a new node
 * each time the block is entered again; all other events are nodes of their own. The repair
 * eliminates the trace iff program order and conflicts between the nodes have a cycle: then no
 * equivalent trace executes the nodes one after the other. It also does if a thread waits at the
 * end inside a block that it has entered.
 *
 * Whether two neighbouring events are in one block instance depends only on their sites and the
 * block, so it is worked out once for each pair of sites and kept as a bit; a trace then costs a
 * few words an event and repair. Nodes that nothing interrupts cannot make a cycle, which settles
 * most traces without building the graph. Otherwise: removal of nodes without predecessors, linear
 * in events and edges.
 */
#include "repair/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbering.h"

struct glue { /* of a pair of sites: in which blocks control stays */
	uint64_t *bits;
	uint32_t known; /* blocks decided so far */
};

struct entry {
	struct repair repair;
	uint32_t *blocks; /* numbers */
};

struct checker {
	struct flows *flows;
	struct numbering block_names, repair_names;
	struct block *blocks;
	uint32_t nblocks, blocks_capacity;
	struct entry *entries;
	uint32_t nentries, entries_capacity;
	struct glue *glue; /* by number of the pair of sites */
	uint32_t nglue;
	/* The loaded trace. */
	const struct trace *t;
	const struct order *o;
	uint32_t *pair;    /* by event: it and its predecessor in the operation, NONE */
	uint32_t *node;    /* by event: the first event of its node */
	uint32_t *waiting; /* by node: predecessors that are left */
	uint32_t *stack;
	uint32_t capacity;
	struct edge { /* that are not in the order */
		uint32_t from, to;
	} * extra;
	uint32_t nextra, extra_capacity;
};

struct checker *checker_new(struct flows *flows)
{
	struct checker *c = xcalloc(1, sizeof *c);

	c->flows = flows;
	return c;
}

void checker_free(struct checker *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->nentries; i++) {
		repair_free(&c->entries[i].repair);
		free(c->entries[i].blocks);
	}
	for (uint32_t i = 0; i < c->nglue; i++)
		free(c->glue[i].bits);
	numbering_free(&c->block_names);
	numbering_free(&c->repair_names);
	free(c->blocks);
	free(c->entries);
	free(c->glue);
	free(c->pair);
	free(c->node);
	free(c->waiting);
	free(c->stack);
	free(c->extra);
	free(c);
}

static uint32_t add_block(struct checker *c, const struct block *b)
{
	char *name = xasprintf("%u %u %s%c%s", b->first, b->last, b->file, 0, b->function);
	size_t length = strlen(name) + 1;
	uint32_t number;
	bool added;

	length += strlen(name + length);
	number = numbering_add(&c->block_names, name, length, &added);
	free(name);
	if (added) {
		VEC_GROW(c->blocks, c->nblocks, c->blocks_capacity);
		c->blocks[c->nblocks++] = *b;
	}
	return number;
}

uint32_t checker_add(struct checker *c, const struct repair *r)
{
	uint32_t *numbers = xmalloc(r->nblocks * sizeof *numbers), n;
	bool added;

	for (uint32_t i = 0; i < r->nblocks; i++)
		numbers[i] = add_block(c, &r->blocks[i]);
	n = numbering_add(&c->repair_names, numbers, r->nblocks * sizeof *numbers, &added);
	if (!added) {
		free(numbers);
		return n;
	}
	VEC_GROW(c->entries, c->nentries, c->entries_capacity);
	repair_copy(&c->entries[c->nentries].repair, r);
	c->entries[c->nentries++].blocks = numbers;
	return n;
}

const struct repair *checker_repair(const struct checker *c, uint32_t number)
{
	return &c->entries[number].repair;
}

static void reserve(struct checker *c, uint32_t n)
{
	if (n < c->capacity)
		return;
	c->capacity = n + n / 2 + 16;
	c->pair = xreallocarray(c->pair, c->capacity, sizeof *c->pair);
	c->node = xreallocarray(c->node, c->capacity, sizeof *c->node);
	c->waiting = xreallocarray(c->waiting, c->capacity, sizeof *c->waiting);
	c->stack = xreallocarray(c->stack, c->capacity, sizeof *c->stack);
}

void checker_load(struct checker *c, const struct trace *t, const struct order *o)
{
	c->t = t;
	c->o = o;
	reserve(c, t->nevents);
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t p = o->previous[i], number;

		c->pair[i] = NONE;
		if (!c->flows || p == NONE || o->instance[i] == NONE || o->instance[p] != o->instance[i])
			continue;
		flows_between(c->flows, t->events[p].site, t->events[i].site, &number);
		c->pair[i] = number;
		if (number >= c->nglue) {
			uint32_t n = number + 64;

			c->glue = xreallocarray(c->glue, n, sizeof *c->glue);
			memset(c->glue + c->nglue, 0, (n - c->nglue) * sizeof *c->glue);
			c->nglue = n;
		}
	}
}

/* Brings the bits of a pair up to date with the blocks registered by now. */
static void decide(struct checker *c, struct glue *g, uint32_t site_a, uint32_t site_b)
{
	uint32_t had = (g->known + 63) / 64, words = (c->nblocks + 63) / 64;

	if (words > had) {
		g->bits = xreallocarray(g->bits, words, sizeof *g->bits);
		memset(g->bits + had, 0, (words - had) * sizeof *g->bits);
	}
	for (uint32_t b = g->known; b < c->nblocks; b++)
		if (flows_stay(c->flows, site_a, site_b, &c->blocks[b]))
			g->bits[b / 64] |= 1ULL << b % 64;
	g->known = c->nblocks;
}

static bool glued(struct checker *c, uint32_t i, const struct entry *entry)
{
	struct glue *g;

	if (c->pair[i] == NONE)
		return false;
	g = &c->glue[c->pair[i]];
	if (g->known < c->nblocks)
		decide(c, g, c->t->events[c->o->previous[i]].site, c->t->events[i].site);
	for (uint32_t k = 0; k < entry->repair.nblocks; k++)
		if (g->bits[entry->blocks[k] / 64] >> entry->blocks[k] % 64 & 1)
			return true;
	return false;
}

/* Makes the nodes; false if no node is interrupted by another thread. *waits: a node waits at the
 * end. */
static bool contract(struct checker *c, const struct entry *entry, bool *waits)
{
	bool interrupted = false;

	for (uint32_t i = 0; i < c->t->nevents; i++) {
		uint32_t p = c->o->previous[i];

		c->node[i] = i;
		if (glued(c, i, entry)) {
			c->node[i] = c->node[p];
			interrupted |= p + 1 != i;
			*waits |= trace_pending(c->t, i);
		}
	}
	return interrupted;
}

static void count(struct checker *c, uint32_t from, uint32_t to)
{
	if (to != NONE && c->node[from] != c->node[to])
		c->waiting[c->node[to]]++;
}

static uint32_t release(struct checker *c, uint32_t from, uint32_t to, uint32_t top)
{
	if (to == NONE || c->node[from] == c->node[to])
		return top;
	if (!--c->waiting[c->node[to]])
		c->stack[top++] = c->node[to];
	return top;
}

static bool cyclic(struct checker *c)
{
	const struct order *o = c->o;
	uint32_t n = c->t->nevents, top = 0, nodes = 0, done = 0;

	memset(c->waiting, 0, n * sizeof *c->waiting);
	for (uint32_t i = 0; i < n; i++) {
		nodes += c->node[i] == i;
		count(c, i, o->next[i]);
		for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++)
			count(c, i, o->targets[k]);
	}
	for (uint32_t k = 0; k < c->nextra; k++)
		count(c, c->extra[k].from, c->extra[k].to);
	for (uint32_t i = 0; i < n; i++)
		if (c->node[i] == i && !c->waiting[i])
			c->stack[top++] = i;
	while (top) {
		uint32_t node = c->stack[--top];

		done++;
		for (uint32_t i = node; i != NONE && c->node[i] == node; i = o->next[i]) {
			top = release(c, i, o->next[i], top);
			for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++)
				top = release(c, i, o->targets[k], top);
			for (uint32_t k = 0; k < c->nextra; k++)
				if (c->extra[k].from == i)
					top = release(c, i, c->extra[k].to, top);
		}
	}
	return done < nodes;
}

bool checker_eliminates(struct checker *c, uint32_t number)
{
	bool waits = false, interrupted = contract(c, &c->entries[number], &waits);

	return waits || (interrupted && cyclic(c));
}

const uint32_t *checker_contract(struct checker *c, uint32_t number)
{
	bool waits = false;

	contract(c, &c->entries[number], &waits);
	return c->node;
}

uint32_t checker_wait_inside(struct checker *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->t->nevents; i++) {
		uint32_t p = c->o->previous[i];
		uint8_t kind = p == NONE ? LP_EV_NONE : c->t->events[p].kind;

		if ((kind == LP_EV_WAIT || kind == LP_EV_BARRIER) &&
		    glued(c, i, &c->entries[number]))
			return p;
	}
	return NONE;
}

bool checker_ends_early(const struct trace *t)
{
	switch (t->outcome.kind) {
	case LP_OUT_OK:
	case LP_OUT_EXIT:
	case LP_OUT_DEADLOCK:
	case LP_OUT_LIVELOCK:
		return false;
	default:
		return true;
	}
}

/* Is event i the last one of a thread that was in the middle of something? */
static bool unfinished(const struct checker *c, uint32_t i)
{
	return c->o->next[i] == NONE && c->o->instance[i] != NONE &&
	       c->t->events[i].kind != LP_EV_EXIT;
}

/* What other threads were in the middle of goes on after event `from`: it is not whole before it. */
static void goes_on_after(struct checker *c, uint32_t from)
{
	for (uint32_t i = 0; i < c->t->nevents; i++) {
		if (c->t->events[i].thread == c->t->events[from].thread || !unfinished(c, i))
			continue;
		VEC_GROW(c->extra, c->nextra, c->extra_capacity);
		c->extra[c->nextra++] = (struct edge){ from, i };
	}
}

/* The last event of this kind (LP_EV_NONE: of any) of a thread, NONE if there is none. */
static uint32_t last_event(const struct trace *t, uint32_t thread, unsigned kind)
{
	for (uint32_t i = t->nevents; i-- > 0;)
		if (t->events[i].thread == thread &&
		    (kind == LP_EV_NONE || t->events[i].kind == kind))
			return i;
	return NONE;
}

static void add_extra(struct checker *c, bool cut)
{
	const struct trace *t = c->t;

	if (!cut && checker_ends_early(t)) {
		uint32_t fault = last_event(t, t->outcome.thread, LP_EV_NONE);

		if (fault != NONE)
			goes_on_after(c, fault);
	}
	for (uint32_t u = 0; cut && u < c->o->nthreads; u++) {
		uint32_t returned = last_event(t, u, LP_EV_RETURN);

		if (returned != NONE)
			goes_on_after(c, returned);
	}
}

bool checker_serial(struct checker *c, bool cut)
{
	const struct order *o = c->o;
	bool serial;

	for (uint32_t i = 0; i < c->t->nevents; i++) {
		uint32_t p = o->previous[i];
		bool on = p != NONE && o->instance[i] != NONE && o->instance[p] == o->instance[i];

		c->node[i] = on ? c->node[p] : i;
	}
	add_extra(c, cut);
	serial = !cyclic(c);
	c->nextra = 0;
	return serial;
}
