/* SPDX-License-Identifier: MIT
 *
 * Building a struct lin_problem: O(n) for histories that are nearly in order of time, O(n) more for
 * others, and about 85 bytes an operation at most, of which 48 stay.
 */
#include "lin/compile.h"
#include "lin/plugin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DROPPED UINT32_MAX
#define HUGE    ((size_t)2 << 20)

void *large_alloc(size_t size)
{
	void *p;

	if (size < 4 * HUGE)
		return xmalloc(size);
	/* With pages of 4 KiB the first touch would cost as much as the work. */
	if (posix_memalign(&p, HUGE, size))
		return xmalloc(size);
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *block;

	size = (size + 7) & ~(size_t)7;
	if (size <= (size_t)(a->end - a->at)) {
		a->at += size;
		return a->at - size;
	}
	block = large_alloc(sizeof *block + size);
	block->next = a->blocks;
	a->blocks = block;
	return block + 1;
}

void arena_free(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}

/* Hash table from (object, key) to part, for assigning parts. */
struct part_table {
	struct part_slot {
		int64_t key;
		uint32_t object, part1; /* part + 1 */
	} * slots;
	uint32_t mask, count;
};

static struct part_slot *part_slot(struct part_table *t, uint32_t object, int64_t key)
{
	uint64_t h = hash_mix(hash_mix(object, (uint64_t)key), 0x9e3779b9);
	struct part_slot *s;

	for (uint32_t i = (uint32_t)h & t->mask;; i = (i + 1) & t->mask) {
		s = &t->slots[i];
		if (!s->part1 || (s->key == key && s->object == object))
			return s;
	}
}

static void part_table_grow(struct part_table *t)
{
	struct part_table bigger = { .mask = t->slots ? 2 * t->mask + 1 : 63, .count = t->count };

	bigger.slots = xcalloc((size_t)bigger.mask + 1, sizeof *bigger.slots);
	for (uint32_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i].part1)
			*part_slot(&bigger, t->slots[i].object, t->slots[i].key) = t->slots[i];
	free(t->slots);
	*t = bigger;
}

static uint32_t part_number(struct part_table *t, uint32_t object, int64_t key)
{
	struct part_slot *s;

	if (2 * t->count >= t->mask || !t->slots)
		part_table_grow(t);
	s = part_slot(t, object, key);
	if (!s->part1)
		*s = (struct part_slot){ key, object, ++t->count };
	return s->part1 - 1;
}

/* Parts while they are counted. */
struct counts {
	struct count {
		uint32_t object, nops, nevents;
		uint32_t to; /* the part that it is merged into */
	} * parts;
	uint32_t n, capacity;
};

static void count_op(struct counts *c, uint32_t part, const struct history_op *op)
{
	if (part == c->n) {
		VEC_GROW(c->parts, c->n, c->capacity);
		c->parts[c->n++] = (struct count){ .object = op->object, .to = part };
	}
	c->parts[part].nops++;
	c->parts[part].nevents += op->ret == TIME_PENDING ? 1 : 2;
}

/* Splits by object and key; calls[].part becomes the part, or DROPPED. */
static int assign_parts(struct builder *b, struct time_key *calls, struct part_table *table,
			struct counts *counts)
{
	for (uint32_t j = 0; j < b->h->nops; j++) {
		const struct history_op *op = &b->h->ops[calls[j].index];
		int method = compile_method(b, op);
		int64_t key = 0;

		if (method < 0)
			return -1;
		if (compile_drops(b, op, method)) {
			calls[j].part = DROPPED;
			continue;
		}
		if ((b->maps[op->object].spec->adt->traits & ADT_KEYS) &&
		    !compile_key(b, op, method, &key))
			b->unkeyed[op->object] = true;
		calls[j].part = part_number(table, op->object, key);
		count_op(counts, calls[j].part, op);
	}
	return 0;
}

/* Objects with an operation that is not about one key become one part again. */
static void merge_parts(struct builder *b, struct time_key *calls, struct counts *c)
{
	uint32_t *first = xreallocarray(NULL, b->h->nobjects + 1, sizeof *first);
	bool any = false;

	memset(first, 0xff, (b->h->nobjects + 1) * sizeof *first);
	for (uint32_t i = 0; i < c->n; i++) {
		struct count *part = &c->parts[i];

		if (!b->unkeyed[part->object])
			continue;
		if (first[part->object] == DROPPED) {
			first[part->object] = i;
			continue;
		}
		part->to = first[part->object];
		c->parts[part->to].nops += part->nops;
		c->parts[part->to].nevents += part->nevents;
		part->nops = part->nevents = 0;
		any = true;
	}
	for (uint32_t j = 0; any && j < b->h->nops; j++)
		if (calls[j].part != DROPPED)
			calls[j].part = c->parts[calls[j].part].to;
	free(first);
}

/* Gives each part its stretch of the arrays; those merged into others vanish. */
static void lay_out(struct builder *b, struct counts *c)
{
	struct lin_problem *p = b->p;
	struct lin_op *ops = p->ops;
	uint32_t *events = p->events;

	p->parts = arena_alloc(p->arena, (c->n + 1) * sizeof *p->parts);
	for (uint32_t i = 0; i < c->n; i++) {
		struct count *count = &c->parts[i];

		if (count->to != i) {
			count->to = c->parts[count->to].to;
			continue;
		}
		p->parts[p->nparts] = (struct lin_part){
			.problem = p,
			.spec = &p->specs[count->object],
			.ops = ops,
			.events = events,
			.object = count->object,
		};
		ops += count->nops;
		events += count->nevents;
		count->to = p->nparts++;
	}
}

static int split(struct builder *b, struct time_key *calls)
{
	struct part_table table = { 0 };
	struct counts counts = { 0 };
	int status = assign_parts(b, calls, &table, &counts);

	if (!status) {
		merge_parts(b, calls, &counts);
		lay_out(b, &counts);
		for (uint32_t j = 0; j < b->h->nops && b->p->nparts != counts.n; j++)
			if (calls[j].part != DROPPED)
				calls[j].part = counts.parts[calls[j].part].to;
	}
	free(table.slots);
	free(counts.parts);
	return status;
}

static void one_part(struct builder *b)
{
	struct lin_problem *p = b->p;

	p->nparts = b->h->nops > 0;
	p->parts = arena_alloc(p->arena, sizeof *p->parts);
	p->parts[0] = (struct lin_part){
		.problem = p, .spec = p->specs, .ops = p->ops, .events = p->events
	};
}

/* Compiles the operations into their parts; calls[].index becomes the position in p->ops, or
 * DROPPED. */
static int place_ops(struct builder *b, struct time_key *calls, struct time_key *returns,
		     uint32_t *nreturns)
{
	struct lin_problem *p = b->p;

	for (uint32_t j = 0; j < b->h->nops; j++) {
		const struct history_op *from = &b->h->ops[calls[j].index];
		struct lin_part *part;
		struct lin_op *op;
		int kept;

		calls[j].index = DROPPED;
		if (calls[j].part == DROPPED)
			continue;
		part = &p->parts[calls[j].part];
		op = &part->ops[part->nops];
		kept = compile(b, from, op);
		if (kept < 0)
			return -1;
		if (!kept)
			continue;
		part->nops++;
		part->npending += !!(op->flags & OP_PENDING);
		part->nany += !!(op->flags & OP_ANY);
		calls[j].index = (uint32_t)(op - p->ops);
		p->nops++;
		if (!(op->flags & OP_PENDING))
			returns[(*nreturns)++] =
				(struct time_key){ from->ret, calls[j].index, calls[j].part };
	}
	return 0;
}

static void add_call(const struct lin_problem *p, const struct time_key *k)
{
	struct lin_part *part = &p->parts[k->part];
	struct lin_op *op = &p->ops[k->index];

	op->call = part->nevents++;
	part->events[op->call] = 2 * (uint32_t)(op - part->ops);
}

static void add_return(const struct lin_problem *p, const struct time_key *k)
{
	struct lin_part *part = &p->parts[k->part];
	struct lin_op *op = &p->ops[k->index];

	op->ret = part->nevents++;
	part->events[op->ret] = 2 * (uint32_t)(op - part->ops) + 1;
}

static void merge_events(const struct lin_problem *p, const struct time_key *calls, uint32_t ncalls,
			 const struct time_key *returns, uint32_t nreturns)
{
	uint32_t r = 0;

	for (uint32_t j = 0; j < ncalls; j++) {
		if (calls[j].index == DROPPED)
			continue;
		for (; r < nreturns && returns[r].time < calls[j].time; r++)
			add_return(p, &returns[r]);
		add_call(p, &calls[j]);
	}
	for (; r < nreturns; r++)
		add_return(p, &returns[r]);
}

static int build_parts(struct builder *b, struct time_key *calls, struct time_key *returns)
{
	uint32_t n = (uint32_t)b->h->nops, nreturns = 0;

	for (uint32_t i = 0; i < n; i++)
		calls[i] = (struct time_key){ b->h->ops[i].call, i, 0 };
	sort_times(calls, n);
	if (!b->may_split)
		one_part(b);
	else if (split(b, calls))
		return -1;
	if (place_ops(b, calls, returns, &nreturns))
		return -1;
	sort_times(returns, nreturns);
	merge_events(b->p, calls, n, returns, nreturns);
	return 0;
}

void problem_free(struct lin_problem *p)
{
	for (uint32_t i = 0; i < p->nspecs; i++)
		if (p->specs[i].pool && (!i || p->specs[i].pool != p->specs[i - 1].pool))
			plugin_pool_free(p->specs[i].pool);
}

int problem_build(struct lin_problem *p, const struct history *h, const struct lin_options *o,
		  bool by_key, struct arena *a, struct error *e)
{
	struct builder b = { .p = p, .h = h, .options = o, .e = e };
	uint32_t nobjects = h->nobjects ? h->nobjects : 1;
	size_t n = h->nops, keys = 2 * n * sizeof(struct time_key);
	bool small = keys <= 1024;
	struct time_key *buffer;
	int status;

	memset(p, 0, sizeof *p);
	if (n > INT32_MAX / 2)
		return error_set(e, "the history has more than %d operations", INT32_MAX / 2);
	p->history = h;
	p->arena = a;
	p->specs = arena_alloc(a, nobjects * sizeof *p->specs);
	b.maps = arena_alloc(a, nobjects * sizeof *b.maps);
	b.unkeyed = arena_alloc(a, nobjects * sizeof *b.unkeyed);
	memset(b.unkeyed, !by_key, nobjects * sizeof *b.unkeyed);
	b.smallest = INT64_MIN + 1 + (int64_t)h->nstrings + ADT_MAX_PARAMETERS;
	b.may_split = nobjects > 1;
	for (uint32_t i = 0; i < nobjects; i++) {
		if (prepare_object(&b, i))
			return -1;
		b.may_split |= by_key && (p->specs[i].adt->traits & ADT_KEYS);
	}
	p->ops = arena_alloc(a, n * sizeof *p->ops);
	p->events = arena_alloc(a, 2 * n * sizeof *p->events);
	buffer = small ? arena_alloc(a, keys) : large_alloc(keys);
	status = build_parts(&b, buffer, buffer + n);
	if (!small)
		free(buffer);
	return status;
}
