/* SPDX-License-Identifier: MIT
 *
 * What a class shows: which lines have steps, which orders conflicting ones have, what overlaps.
 */
#include "cover/private.h"

#include <stdlib.h>
#include <string.h>

struct coverage *coverage_new(const struct run *run, struct srcmap *map)
{
	struct coverage *c = xcalloc(1, sizeof *c);

	c->run = run;
	c->map = map;
	return c;
}

void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	order_free(&c->order);
	numbering_free(&c->lines);
	numbering_free(&c->functions);
	numbering_free(&c->gap_functions);
	numbering_free(&c->pairs);
	numbering_free(&c->gaps);
	numbering_free(&c->spans);
	numbering_free(&c->operations);
	free(c->list);
	free(c->line_of);
	free(c->pair_list);
	free(c->gap_list);
	free(c->clocks);
	free(c->seqs);
	free(c->result.operation_list);
	free(c->result.lines);
	free(c->result.pairs);
	free(c->result.blocks);
	free(c->result.uncalled);
	free(c);
}

uint32_t coverage_line(struct coverage *c, const struct source_frame *f)
{
	const uint64_t key[2] = { (uint64_t)(uintptr_t)f->file, f->line };
	bool added;
	uint32_t n = numbering_add(&c->lines, key, sizeof key, &added);

	if (added) {
		VEC_GROW(c->list, n, c->list_capacity);
		c->list[n] = (struct covered_line){ f->file, f->function, f->line, .ran = -1 };
	}
	return n;
}

uint32_t coverage_function(struct numbering *functions, const struct source_frame *f)
{
	char *key = xasprintf("%s:%s", f->file, f->function);
	bool added;
	uint32_t n = numbering_add(functions, key, strlen(key), &added);

	free(key);
	return n;
}

static bool usable(const struct coverage *c, const struct source_frame *f)
{
	return f && f->function && srcmap_in_program(c->map, f);
}

/* The line of an event of an operation; NONE. */
static uint32_t line_of(struct coverage *c, uint32_t site)
{
	const struct source_frame *f;

	if (site == NONE)
		return NONE;
	if (site >= c->nsites) {
		uint32_t n = c->run->nsites;

		c->line_of = xreallocarray(c->line_of, n, sizeof *c->line_of);
		memset(c->line_of + c->nsites, 0, (n - c->nsites) * sizeof *c->line_of);
		c->nsites = n;
	}
	if (c->line_of[site])
		return c->line_of[site] == NONE ? NONE : c->line_of[site] - 1;
	f = srcmap_own_frame(c->map, site);
	c->line_of[site] = usable(c, f) ? coverage_line(c, f) + 1 : NONE;
	return c->line_of[site] == NONE ? NONE : c->line_of[site] - 1;
}

/* Is event i a step of an operation? */
static bool is_step(const struct coverage *c, const struct trace *t, uint32_t i)
{
	const struct event *e = &t->events[i];

	return c->order.instance[i] != NONE && e->access && e->kind != LP_EV_CALL &&
	       e->kind != LP_EV_RETURN;
}

/* ---- which functions operations consist of ---- */

static bool same_function(const struct source_frame *a, const struct source_frame *b)
{
	return a->function && b->function && !strcmp(a->function, b->function) && a->file == b->file;
}

/* Those that were called since. A call that is marked in the source is in a function that is none of the
 * operation; one of a specification file is at the entry of one that is. */
static void add_functions(struct coverage *c, uint32_t call, uint32_t site)
{
	const struct source_frame *at = NULL, *to;
	uint32_t ncall = srcmap_own_frames(c->map, call, &at), n = srcmap_own_frames(c->map, site, &to), k = 0;
	bool marked = srcmap_frames(c->map, call, &at) > ncall;

	while (k < n && k < ncall && same_function(&at[k], &to[k]) && at[k].address == to[k].address)
		k++;
	if (call == NONE)
		k = n ? n - 1 : 0;
	else if (k < n && k < ncall && same_function(&at[k], &to[k]) && marked)
		k++;
	for (; k < n; k++)
		if (usable(c, &to[k]))
			coverage_function(&c->functions, &to[k]);
}

static void note_functions(struct coverage *c, const struct trace *t, uint32_t i)
{
	uint32_t op = c->order.instance[i], call = NONE;
	uint32_t key[2];
	bool added;

	if (c->result.operations && op < t->nops)
		call = t->events[t->ops[op].call].site;
	key[0] = call;
	key[1] = t->events[i].site;
	numbering_add(&c->operations, key, sizeof key, &added);
	if (added)
		add_functions(c, call, key[1]);
}

/* ---- orders of conflicting lines ---- */

/* The line of event `first` was before that of `second`. */
static void note_pair(struct coverage *c, const struct trace *t, uint32_t x, uint16_t first_thread, uint32_t y,
		      uint32_t second)
{
	const uint32_t key[2] = { x < y ? x : y, x < y ? y : x };
	bool added, forth = x == y ? first_thread < t->events[second].thread : x < y;
	uint32_t n = numbering_add(&c->pairs, key, sizeof key, &added);

	if (added) {
		VEC_GROW(c->pair_list, n, c->pairs_capacity);
		c->pair_list[n] = (struct covered_pair){ .a = key[0],
							 .b = key[1],
							 .location = t->events[second].location };
	}
	c->list[x].conflicts = c->list[y].conflicts = true;
	c->pair_list[n].a_first |= forth;
	c->pair_list[n].b_first |= !forth;
}

/* What was done to a cell: each line of each thread once. */
struct cell {
	struct access {
		uint32_t line;
		uint16_t thread;
		uint8_t access;
	} * list;
	uint32_t n, capacity;
};

static void see_cell(struct coverage *c, const struct trace *t, struct cell *cell, uint32_t i, uint8_t access,
		     uint32_t line)
{
	uint16_t thread = t->events[i].thread;
	bool known = false;

	for (uint32_t k = 0; k < cell->n; k++) {
		const struct access *x = &cell->list[k];

		if (x->thread != thread && lp_access_conflict(x->access, access))
			note_pair(c, t, x->line, x->thread, line, i);
		known |= x->thread == thread && x->line == line && x->access == access;
	}
	if (known)
		return;
	VEC_GROW(cell->list, cell->n, cell->capacity);
	cell->list[cell->n++] = (struct access){ line, thread, access };
}

static void see_pairs(struct coverage *c, const struct trace *t)
{
	const struct order *o = &c->order;
	struct cell *cells = xcalloc(o->ncells, sizeof *cells);

	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t line = is_step(c, t, i) ? line_of(c, t->events[i].site) : NONE;

		for (uint32_t s = o->span_start[i]; line != NONE && s < o->span_start[i + 1]; s++)
			for (uint32_t k = o->spans[s].first; k < o->spans[s].end; k++)
				see_cell(c, t, &cells[k], i, o->spans[s].access, line);
	}
	for (uint32_t k = 0; k < o->ncells; k++)
		free(cells[k].list);
	free(cells);
}

/* ---- what overlaps ---- */

static void make_clocks(struct coverage *c, const struct trace *t)
{
	const struct order *o = &c->order;
	const uint32_t n = o->nthreads;
	size_t wanted = (size_t)t->nevents * n;

	if (wanted > c->clocks_capacity) {
		c->clocks_capacity = wanted * 2;
		c->clocks = xreallocarray(c->clocks, c->clocks_capacity, sizeof *c->clocks);
	}
	if (t->nevents > c->seqs_capacity) {
		c->seqs_capacity = t->nevents * 2;
		c->seqs = xreallocarray(c->seqs, c->seqs_capacity, sizeof *c->seqs);
	}
	memset(c->clocks, 0, wanted * sizeof *c->clocks);
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t *mine = &c->clocks[(size_t)i * n], thread = t->events[i].thread;

		if (o->previous[i] != NONE) {
			const uint32_t *before = &c->clocks[(size_t)o->previous[i] * n];

			for (uint32_t u = 0; u < n; u++)
				if (before[u] > mine[u])
					mine[u] = before[u];
		}
		c->seqs[i] = ++mine[thread];
		for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++) {
			uint32_t *to = &c->clocks[(size_t)o->targets[k] * n];

			for (uint32_t u = 0; u < n; u++)
				if (mine[u] > to[u])
					to[u] = mine[u];
		}
	}
}

/* Where an operation begins and ends. NONE: it does not. */
struct extent {
	uint32_t begin, end;
	uint16_t thread;
};

static struct extent *extents_of(const struct coverage *c, const struct trace *t, uint32_t *n)
{
	struct extent *list = xcalloc((size_t)t->nops + t->nevents + 1, sizeof *list);

	*n = 0;
	if (c->result.operations) {
		for (uint32_t i = 0; i < t->nops; i++)
			list[(*n)++] = (struct extent){ t->ops[i].call, t->ops[i].ret_event,
							t->ops[i].thread };
		return list;
	}
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t op = c->order.instance[i], k = op - t->nops;

		if (op == NONE)
			continue;
		if (k >= *n) {
			list[k] = (struct extent){ i, i, t->events[i].thread };
			*n = k + 1;
		}
		list[k].end = i;
	}
	return list;
}

static bool overlaps(const struct coverage *c, const struct trace *t, uint32_t i, const struct extent *other)
{
	const struct event *e = &t->events[i];

	return other->thread != e->thread &&
	       coverage_clock(c, other->begin, e->thread) < c->seqs[i] &&
	       (other->end == NONE || coverage_clock(c, i, other->thread) < c->seqs[other->end]);
}

static bool over_before(const struct coverage *c, const struct extent *a, const struct extent *b)
{
	return a->end != NONE && coverage_clock(c, b->begin, a->thread) >= c->seqs[a->end];
}

static void see_operations(struct coverage *c, const struct trace *t, const struct extent *list, uint32_t n)
{
	struct coverage_result *r = &c->result;

	for (uint32_t i = 0; i < n && r->operations; i++) {
		uint32_t k = 0;

		while (k < r->noperations && r->operation_list[k].name != t->ops[i].name)
			k++;
		if (k == r->noperations) {
			VEC_GROW(r->operation_list, k, c->operations_capacity);
			r->operation_list[r->noperations++] =
				(struct covered_operation){ t->ops[i].name, false };
		}
		for (uint32_t j = 0; j < n && !r->operation_list[k].overlapped; j++)
			r->operation_list[k].overlapped = list[j].thread != list[i].thread &&
							  !over_before(c, &list[i], &list[j]) &&
							  !over_before(c, &list[j], &list[i]);
	}
}

static void see_overlaps(struct coverage *c, const struct trace *t)
{
	uint32_t n;
	struct extent *list = extents_of(c, t, &n);

	see_operations(c, t, list, n);
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t line = is_step(c, t, i) ? line_of(c, t->events[i].site) : NONE;

		if (line == NONE)
			continue;
		c->list[line].steps = true;
		c->list[line].acts |= t->events[i].kind != LP_EV_READ ||
				      srcmap_by_hook(c->map, t->events[i].site);
		note_functions(c, t, i);
		for (uint32_t k = 0; k < n && !c->list[line].overlapped; k++)
			c->list[line].overlapped = overlaps(c, t, i, &list[k]);
	}
	free(list);
}

void coverage_see(struct coverage *c, const struct trace *t)
{
	if (!c->begun)
		c->result.operations = t->nops > 0;
	c->begun = true;
	c->result.classes++;
	if (!t->nevents || (c->result.operations && !t->nops))
		return;
	order_build(&c->order, t);
	if (!c->result.operations)
		order_outside(&c->order, t, false);
	make_clocks(c, t);
	see_pairs(c, t);
	see_overlaps(c, t);
	coverage_gaps(c, t);
}
