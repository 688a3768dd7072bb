/* SPDX-License-Identifier: MIT
 *
 * Building a struct lin_problem: O(n) for histories that are nearly in order of time, O(n) more for others, and about
 * 85 bytes an operation at most, of which 48 stay.
 */
#include "plugin.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#define DROPPED UINT32_MAX

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *block;

	size = (size + 7) & ~(size_t)7;
	if (size <= (size_t)(a->end - a->at)) {
		a->at += size;
		return a->at - size;
	}
	block = xmalloc(sizeof *block + size);
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

/* How the operation names of a history read in one specification. */
struct method_map {
	const struct lin_spec *spec;
	int16_t *methods;	/* by index in history->methods: method, or one of these */
#define METHOD_NEW     (-2)
#define METHOD_NONE    (-1)
#define METHOD_RELAXED 0x4000
};

struct builder {
	struct lin_problem *p;
	const struct history *h;
	const struct lin_options *options;
	struct error *e;
	struct method_map *maps;	/* one an object */
	bool *unkeyed;			/* by object: some operation has no key */
	int64_t smallest;		/* integers below it are taken */
	bool may_split;			/* there may be more than one part */
};

static int op_error(const struct history *h, const struct history_op *op, struct error *e,
		    const char *what)
{
	char where[40] = "";

	if (op->line)
		snprintf(where, sizeof where, "line %u: ", (unsigned)op->line);
	return error_set(e, "%soperation %zu (\"%s\") %s", where, (size_t)(op - h->ops) + 1,
			 op->method < h->nmethods ? h->methods[op->method] : "?", what);
}

static const char *specification_of(const struct builder *b, uint32_t object)
{
	if (object < b->h->nobjects && b->h->objects[object].specification)
		return b->h->objects[object].specification;
	return b->options->specification;
}

/* Objects with the same text share what was parsed. */
static int prepare_object(struct builder *b, uint32_t object)
{
	const char *text = specification_of(b, object);
	struct lin_spec *spec = &b->p->specs[object];
	struct method_map *map = &b->maps[object];
	const char *before = object ? specification_of(b, object - 1) : NULL;

	if (!text)
		return error_set(b->e, "object \"%s\" has no specification (say which data type it is)",
				 object < b->h->nobjects ? b->h->objects[object].name : "");
	if (before && !strcmp(before, text)) {
		*spec = spec[-1];
		*map = map[-1];
		map->spec = spec;
		b->p->nspecs = object + 1;
		return 0;
	}
	if (spec_parse(spec, text, b->h, b->e))
		return -1;
	b->p->nspecs = object + 1;
	map->spec = spec;
	map->methods = arena_alloc(b->p->arena, b->h->nmethods * sizeof *map->methods);
	for (uint32_t i = 0; i < b->h->nmethods; i++)
		map->methods[i] = METHOD_NEW;
	return 0;
}

static void list_methods(const struct adt *adt, char *out, size_t size)
{
	size_t n = 0;

	out[0] = 0;
	for (const struct adt_method *m = adt->methods; m->names && n + 2 < size; m++)
		n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? ", " : "",
				      (int)strcspn(m->names, " "), m->names);
}

static int resolve(struct builder *b, const struct history_op *op)
{
	struct method_map *map = &b->maps[op->object];
	const struct adt *adt = map->spec->adt;
	const char *name = b->h->methods[op->method];
	char known[512], what[640];
	int m;

	if (!adt->methods) {
		m = 0;
	} else {
		m = adt_method_find(adt, name);
		if (m < 0) {
			list_methods(adt, known, sizeof known);
			snprintf(what, sizeof what, "is not one of a %s; it has: %s", adt->noun, known);
			return op_error(b->h, op, b->e, what);
		}
	}
	if (spec_relaxed(map->spec, name))
		m |= METHOD_RELAXED;
	map->methods[op->method] = (int16_t)m;
	return m;
}

/* The method of an operation, or -1 and an error. */
static int method_of(struct builder *b, const struct history_op *op)
{
	int m;

	if (op->object >= (b->h->nobjects ? b->h->nobjects : 1) || op->method >= b->h->nmethods ||
	    op->nargs > HISTORY_MAX_ARGS)
		return op_error(b->h, op, b->e, "is damaged (object, method or number of arguments)");
	m = b->maps[op->object].methods[op->method];
	return m == METHOD_NEW ? resolve(b, op) : m;
}

static int encode(const struct builder *b, const struct value *v, int64_t *word)
{
	switch (v->tag) {
	case VALUE_INT:
		*word = v->v;
		return v->v < b->smallest ? -1 : 0;
	case VALUE_STRING:
		*word = WORD_STRING(v->v);
		return v->v < 0 || v->v >= b->h->nstrings ? -1 : 0;
	default:
		*word = WORD_EMPTY;
		return 0;
	}
}

static int encode_more(struct builder *b, const struct history_op *op)
{
	size_t i = (size_t)(op - b->h->ops);

	if (!b->p->more)
		b->p->more = arena_alloc(b->p->arena, 2 * b->h->nops * sizeof *b->p->more);
	b->p->more[2 * i] = b->p->more[2 * i + 1] = WORD_EMPTY;
	for (int k = 2; k < op->nargs; k++)
		if (encode(b, &op->args[k], &b->p->more[2 * i + (size_t)k - 2]))
			return -1;
	return 0;
}

/* Operations that can be left out: a read that never returned or whose result is unknown, a spurious failure. */
static bool can_drop(const struct adt_method *m, bool relaxed, const struct lin_op *op)
{
	if (m->flags & M_READS)
		return op->flags & OP_ANY;
	return relaxed && (op->flags & OP_OBSERVER);
}

/* 1: *out is filled; 0: the operation says nothing; -1: error. */
static int compile(struct builder *b, const struct history_op *op, struct lin_op *out)
{
	int m = method_of(b, op);
	const struct adt_method *method = NULL;
	const struct adt *adt;
	int bad;

	if (m < 0)
		return -1;
	adt = b->maps[op->object].spec->adt;
	if (op->ret < op->call)
		return op_error(b->h, op, b->e, "returns before it is called");
	out->id = (uint32_t)(op - b->h->ops);
	out->nargs = op->nargs;
	out->a = out->b = WORD_EMPTY;
	bad = encode(b, &op->result, &out->r);
	if (op->result.tag == VALUE_EMPTY && op->ret != TIME_PENDING)
		b->p->specs[op->object].saw_empty = true;
	if (op->nargs > 0)
		bad |= encode(b, &op->args[0], &out->a);
	if (op->nargs > 1)
		bad |= encode(b, &op->args[1], &out->b);
	if (op->nargs > 2)
		bad |= encode_more(b, op);
	if (bad)
		return op_error(b->h, op, b->e, "has a value outside the range that can be checked");
	out->flags = op->ret == TIME_PENDING ? OP_PENDING | OP_ANY : 0;
	if (op->result.tag == VALUE_NONE || op->result.tag == VALUE_UNKNOWN)
		out->flags |= OP_ANY;
	if (out->flags & OP_ANY)
		out->r = WORD_EMPTY;
	out->method = (uint8_t)(m & 0xff);
	if (!adt->methods) {
		out->code = 0;
		return 1;
	}
	method = &adt->methods[m & 0xff];
	out->code = method->code;
	if (op->nargs < method->min_args || op->nargs > method->max_args)
		return op_error(b->h, op, b->e, "has the wrong number of arguments");
	if (!(out->flags & OP_ANY) &&
	    ((method->flags & M_READS) || ((method->flags & M_SUCCEEDS) && !op_true(out)) ||
	     ((method->flags & M_TAKES) && out->r == WORD_EMPTY)))
		out->flags |= OP_OBSERVER;
	if (can_drop(method, m & METHOD_RELAXED, out))
		return 0;
	if (!(method->flags & M_KEY))
		b->unkeyed[op->object] = true;
	return 1;
}

/* Hash table from (object, key) to part, for assigning parts. */
struct part_table {
	struct part_slot {
		int64_t key;
		uint32_t object, part1;	/* part + 1 */
	} *slots;
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

/* Fills place[] with the part of each operation in call order, or DROPPED. Compiles everything once to know. */
static int assign_parts(struct builder *b, const struct time_key *calls, uint32_t *place)
{
	struct part_table table = { 0 };
	struct lin_op op;
	int kept;

	for (uint32_t j = 0; j < b->h->nops; j++) {
		kept = compile(b, &b->h->ops[calls[j].index], &op);
		if (kept < 0)
			return -1;
		place[j] = kept ? 0 : DROPPED;
	}
	for (uint32_t j = 0; j < b->h->nops; j++) {
		const struct history_op *o = &b->h->ops[calls[j].index];
		bool keyed = (b->maps[o->object].spec->adt->traits & ADT_KEYS) && !b->unkeyed[o->object];
		int64_t key = 0;

		if (place[j] == DROPPED)
			continue;
		if (keyed)
			encode(b, &o->args[0], &key);
		place[j] = part_number(&table, o->object, key);
	}
	b->p->nparts = table.count;
	free(table.slots);
	return 0;
}

/* Counts operations and events of the parts and gives each its stretch of the arrays. */
static void lay_out(struct builder *b, const struct time_key *calls, const uint32_t *place)
{
	struct lin_problem *p = b->p;
	struct lin_op *ops = p->ops;
	uint32_t *events = p->events;

	p->parts = arena_alloc(p->arena, (p->nparts ? p->nparts : 1) * sizeof *p->parts);
	memset(p->parts, 0, (p->nparts ? p->nparts : 1) * sizeof *p->parts);
	for (uint32_t j = 0; j < b->h->nops; j++) {
		const struct history_op *o = &b->h->ops[calls[j].index];

		if (place[j] == DROPPED)
			continue;
		p->parts[place[j]].nops++;
		p->parts[place[j]].nevents += o->ret == TIME_PENDING ? 1 : 2;
		p->parts[place[j]].object = o->object;
	}
	for (uint32_t i = 0; i < p->nparts; i++) {
		struct lin_part *part = &p->parts[i];

		part->problem = p;
		part->spec = &p->specs[part->object];
		part->ops = ops;
		part->events = events;
		ops += part->nops;
		events += part->nevents;
		part->nops = part->nevents = 0;
	}
}

/* Compiles the operations into their parts; place[] becomes the position in p->ops. */
static int place_ops(struct builder *b, const struct time_key *calls, uint32_t *place)
{
	struct lin_problem *p = b->p;

	for (uint32_t j = 0; j < b->h->nops; j++) {
		struct lin_part *part;
		struct lin_op *op;
		int kept;

		if (place[j] == DROPPED)
			continue;
		part = &p->parts[place[j]];
		op = &part->ops[part->nops];
		kept = compile(b, &b->h->ops[calls[j].index], op);
		if (kept < 0)
			return -1;
		if (!kept) {
			place[j] = DROPPED;
			continue;
		}
		op->ret = RANK_PENDING;
		part->nops++;
		part->npending += !!(op->flags & OP_PENDING);
		part->nany += !!(op->flags & OP_ANY);
		place[j] = (uint32_t)(op - p->ops);
		p->nops++;
	}
	return 0;
}

static void add_event(struct lin_part *part, uint32_t global, bool is_return, const struct lin_problem *p)
{
	struct lin_op *op = &p->ops[global];
	uint32_t at = part->nevents++;

	if (is_return)
		op->ret = at;
	else
		op->call = at;
	part->events[at] = 2 * (uint32_t)(op - part->ops) + is_return;
}

/* The part of a placed operation. With one part that is easy; else by search in the ascending stretches. */
static struct lin_part *part_of(const struct lin_problem *p, uint32_t global)
{
	uint32_t low = 0, high = p->nparts;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if ((uint32_t)(p->parts[middle].ops - p->ops) <= global)
			low = middle;
		else
			high = middle;
	}
	return &p->parts[low];
}

static void merge_events(struct builder *b, const struct time_key *calls, uint32_t *place,
			 struct time_key *returns)
{
	const struct history *h = b->h;
	uint32_t n = (uint32_t)h->nops, nreturns = 0, r = 0;

	for (uint32_t j = 0; j < n; j++) {
		int64_t time = h->ops[calls[j].index].ret;

		if (place[j] != DROPPED && time != TIME_PENDING)
			returns[nreturns++] = (struct time_key){ time, place[j] };
	}
	sort_times(returns, nreturns);
	for (uint32_t j = 0; j < n; j++) {
		if (place[j] == DROPPED)
			continue;
		for (; r < nreturns && returns[r].time < calls[j].time; r++)
			add_event(part_of(b->p, returns[r].index), returns[r].index, true, b->p);
		add_event(part_of(b->p, place[j]), place[j], false, b->p);
	}
	for (; r < nreturns; r++)
		add_event(part_of(b->p, returns[r].index), returns[r].index, true, b->p);
}

static int build_parts(struct builder *b, struct time_key *calls, struct time_key *returns, uint32_t *place)
{
	uint32_t n = (uint32_t)b->h->nops;

	for (uint32_t i = 0; i < n; i++)
		calls[i] = (struct time_key){ b->h->ops[i].call, i };
	sort_times(calls, n);
	if (b->may_split) {
		if (assign_parts(b, calls, place))
			return -1;
	} else {
		memset(place, 0, n * sizeof *place);
		b->p->nparts = n ? 1 : 0;
		for (uint32_t i = 0; i < n; i++)
			if (method_of(b, &b->h->ops[i]) < 0)
				return -1;
	}
	lay_out(b, calls, place);
	if (place_ops(b, calls, place))
		return -1;
	merge_events(b, calls, place, returns);
	return 0;
}

void problem_free(struct lin_problem *p)
{
	for (uint32_t i = 0; i < p->nspecs; i++)
		if (p->specs[i].pool && (!i || p->specs[i].pool != p->specs[i - 1].pool))
			plugin_pool_free(p->specs[i].pool);
}

int problem_build(struct lin_problem *p, const struct history *h, const struct lin_options *o, struct arena *a,
		  struct error *e)
{
	struct builder b = { .p = p, .h = h, .options = o, .e = e };
	uint32_t nobjects = h->nobjects ? h->nobjects : 1;
	size_t n = h->nops, keys = 2 * n * sizeof(struct time_key) + n * sizeof(uint32_t);
	bool small = keys <= 1024;
	void *buffer;
	int status;

	memset(p, 0, sizeof *p);
	if (n > INT32_MAX / 2)
		return error_set(e, "the history has more than %d operations", INT32_MAX / 2);
	p->history = h;
	p->arena = a;
	p->specs = arena_alloc(a, nobjects * sizeof *p->specs);
	b.maps = arena_alloc(a, nobjects * sizeof *b.maps);
	b.unkeyed = arena_alloc(a, nobjects * sizeof *b.unkeyed);
	memset(b.unkeyed, 0, nobjects * sizeof *b.unkeyed);
	b.smallest = INT64_MIN + 1 + (int64_t)h->nstrings + ADT_MAX_PARAMETERS;
	b.may_split = nobjects > 1;
	for (uint32_t i = 0; i < nobjects; i++) {
		if (prepare_object(&b, i))
			return -1;
		b.may_split |= p->specs[i].adt->traits & ADT_KEYS;
	}
	p->ops = arena_alloc(a, n * sizeof *p->ops);
	p->events = arena_alloc(a, 2 * n * sizeof *p->events);
	buffer = small ? arena_alloc(a, keys) : xmalloc(keys);
	status = build_parts(&b, buffer, (struct time_key *)buffer + n,
			     (uint32_t *)((struct time_key *)buffer + 2 * n));
	if (!small)
		free(buffer);
	return status;
}
