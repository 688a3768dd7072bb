/* SPDX-License-Identifier: MIT
 *
 * Stable names: what a trace calls modules, code positions, call stacks and memory, independent of
 * addresses, and small ids for them handed out at first use. Each new id is described by a record
 * in the trace file before it is used.
 *
 * Calling contexts are a tree that is built as functions are entered (the shadow stack of a fiber
 * is one node), so an event needs only a number for its whole call stack.
 */
#include "names.h"
#include "checkpoint.h"
#include "heap.h"
#include "memory.h"
#include "modules.h"
#include "objects.h"
#include "own_stack.h"
#include "state.h"
#include "trace.h"

struct key {
	uint64_t a, b, c;
};

#define RECENT 64

struct table { /* keys to ids by order of first use */
	struct key *keys;
	uint32_t *slots; /* id + 1 */
	uint32_t n, capacity, mask;
	/* What was asked for lately, by address: an event is mostly like one of an execution before. */
	struct recent {
		struct key asked;
		uint32_t id; /* + 1; 0: nothing */
	} recent[RECENT];
};

static struct names {
	struct table contexts; /* runtime nodes; node 0 is the root */
	struct table sites, locations, strings;
	uint32_t *context_ids; /* runtime node to trace id + 1 */
	uint32_t context_ids_capacity, ncontext_ids;
	uint64_t threads_known;
	uint8_t thread_parent[MAX_FIBERS], thread_number[MAX_FIBERS];
} * names;

static bool same_key(const struct key *x, const struct key *y)
{
	return x->a == y->a && x->b == y->b && x->c == y->c;
}

/* Where it is if it was asked for lately. Where libraries come and go, addresses do not say what they are. */
static struct recent *recent_of(struct table *t, const struct key *k, bool *there)
{
	struct recent *r = &t->recent[(k->a >> 2 ^ k->a >> 8) & (RECENT - 1)];

	*there = r->id && same_key(&r->asked, k) && !rt->loaded;
	return r;
}

static void recent_set(struct recent *r, const struct key *k, uint32_t id)
{
	if (!rt->loaded)
		*r = (struct recent){ *k, id + 1 };
}

static uint32_t *slot_of(struct table *t, const struct key *k)
{
	uint32_t i = (uint32_t)(mix(mix(mix(0, k->a), k->b), k->c) >> 7) & t->mask;

	while (t->slots[i] && !same_key(&t->keys[t->slots[i] - 1], k))
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static void table_grow(struct table *t)
{
	uint32_t capacity = t->capacity ? t->capacity * 2 : 512;
	struct key *keys = memory_get(capacity * sizeof *keys);

	copy(keys, t->keys, t->n * sizeof *keys);
	t->keys = keys;
	t->capacity = capacity;
	t->mask = capacity * 2 - 1;
	t->slots = memory_get((t->mask + 1UL) * sizeof *t->slots);
	for (uint32_t i = 0; i < t->n; i++)
		*slot_of(t, &keys[i]) = i + 1;
}

static uint32_t intern(struct table *t, struct key k, bool *fresh)
{
	uint32_t *slot = slot_of(t, &k);

	*fresh = !*slot;
	if (*slot)
		return *slot - 1;
	if (t->n == t->capacity) {
		table_grow(t);
		slot = slot_of(t, &k);
	}
	t->keys[t->n] = k;
	*slot = ++t->n;
	return t->n - 1;
}

void put_varint(uint8_t **p, uint64_t v)
{
	while (v >= 0x80) {
		*(*p)++ = (uint8_t)v | 0x80;
		v >>= 7;
	}
	*(*p)++ = (uint8_t)v;
}

static void put_pc_key(uint8_t **p, uint64_t key)
{
	uint64_t offset;
	int32_t m = module_of_key(key, &offset);

	put_varint(p, (uint64_t)(m + 1));
	put_varint(p, offset);
}

static void put_pc(uint8_t **p, uint64_t pc)
{
	put_pc_key(p, module_pc_key(pc));
}

uint32_t intern_string(const char *s)
{
	size_t n = length(s);
	struct key k = { n, 0xcbf29ce484222325ULL, 0x9ae16a3b2f90404fULL };
	bool fresh;
	uint32_t id;

	for (size_t i = 0; i < n; i++) {
		k.b = (k.b ^ (uint8_t)s[i]) * 0x100000001b3ULL;
		k.c = mix(k.c, (uint8_t)s[i]);
	}
	id = intern(&names->strings, k, &fresh);
	if (fresh) {
		copy(writer_record(n), s, n);
		writer_commit(LP_REC_STRING, n);
	}
	return id;
}

static void *context_new(void *key)
{
	bool fresh;

	intern(&names->contexts, *(const struct key *)key, &fresh);
	return NULL;
}

uint32_t context_enter(uint32_t parent, uint64_t pc)
{
	struct key k = { parent, 0, context_depth(parent) + 1 };
	uint32_t *slot;

	/* The fiber's own start is not a call of the program. */
	if (in_runtime_text(pc))
		return parent;
	k.b = module_pc_key(pc);
	/* One call, or the return address that it leaves would not be the same each time. */
	while (UNLIKELY(!*(slot = slot_of(&names->contexts, &k))))
		on_own_stack(context_new, &k);
	return *slot - 1;
}

uint32_t context_parent(uint32_t context)
{
	return context ? (uint32_t)names->contexts.keys[context].a : 0;
}

uint32_t context_depth(uint32_t context)
{
	return context ? (uint32_t)names->contexts.keys[context].c : 0;
}

uint64_t context_key(uint32_t context)
{
	return names->contexts.keys[context].b;
}

/* The trace's id + 1 of a runtime node, 0 for the root. */
uint32_t intern_context(uint32_t context)
{
	uint8_t *start, *p;
	uint32_t parent;

	if (!context)
		return 0;
	if (context >= names->context_ids_capacity) {
		uint32_t *more = memory_get(names->contexts.capacity * sizeof *more);

		copy(more, names->context_ids, names->context_ids_capacity * sizeof *more);
		names->context_ids = more;
		names->context_ids_capacity = names->contexts.capacity;
	}
	if (names->context_ids[context])
		return names->context_ids[context];
	parent = intern_context(context_parent(context));
	start = p = writer_record(64);
	put_varint(&p, parent);
	put_pc_key(&p, names->contexts.keys[context].b);
	writer_commit(LP_REC_CONTEXT, (size_t)(p - start));
	names->context_ids[context] = ++names->ncontext_ids;
	return names->context_ids[context];
}

uint32_t intern_site(unsigned kind, unsigned flags, uint32_t size, uint64_t pc, uint32_t context)
{
	struct key k = { pc, (uint64_t)size << 16 | flags << 8 | kind, context };
	bool fresh, there;
	struct recent *recent = recent_of(&names->sites, &k, &there);
	uint8_t *start, *p;
	uint32_t id, ctx;
	uint64_t at;

	if (LIKELY(there))
		return recent->id - 1;
	at = module_pc_key(pc);
	id = intern(&names->sites, (struct key){ at, k.b, k.c }, &fresh);
	recent_set(recent, &k, id);
	if (!fresh)
		return id;
	ctx = intern_context(context);
	start = p = writer_record(64);
	*p++ = (uint8_t)kind;
	*p++ = (uint8_t)flags;
	put_varint(&p, size);
	put_pc_key(&p, at);
	put_varint(&p, ctx);
	writer_commit(LP_REC_SITE, (size_t)(p - start));
	return id;
}

uint32_t intern_location(uint64_t addr, uint64_t block, uint64_t block_base)
{
	struct key k = { addr, LP_LOC_OTHER, 0 }, asked = { addr, block, block_base };
	uint64_t a = 0, b = 0, offset;
	bool fresh, there;
	struct recent *recent = recent_of(&names->locations, &asked, &there);
	struct fiber *f;
	uint8_t *start, *p;
	int32_t m;
	uint32_t id;

	if (LIKELY(there))
		return recent->id - 1;
	if (block) {
		k = (struct key){ addr - block_base, LP_LOC_HEAP, block };
		a = block >> 32;
		b = (uint32_t)block;
	} else if (addr == (uint64_t)&rt->block_lock) {
		k = (struct key){ 0, LP_LOC_BLOCKS, 0 };
	} else if (heap_list(addr, &offset)) {
		k = (struct key){ offset, LP_LOC_FREED, 0 };
	} else if (on_channel(addr)) {
		k = (struct key){ (addr - CHANNELS) / 8, LP_LOC_CHANNEL, 0 };
	} else if ((m = module_find(addr, &offset)) >= 0) {
		k = (struct key){ offset, LP_LOC_GLOBAL, (uint64_t)m };
		a = (uint64_t)m;
	} else if ((f = fiber_by_stack(addr))) {
		a = f->id;
		k = (struct key){ f->stack_hi - addr, LP_LOC_STACK, a };
	} else if ((f = fiber_by_tls(addr, &a))) {
		k = (struct key){ a, LP_LOC_TLS, f->id };
		a = f->id;
	}
	id = intern(&names->locations, k, &fresh);
	if (k.b == LP_LOC_HEAP || k.b == LP_LOC_GLOBAL) /* whatever threads there are */
		recent_set(recent, &asked, id);
	if (!fresh)
		return id;
	start = p = writer_record(64);
	*p++ = (uint8_t)k.b;
	put_varint(&p, a);
	put_varint(&p, b);
	put_varint(&p, k.a);
	writer_commit(LP_REC_LOCATION, (size_t)(p - start));
	return id;
}

static void thread_record(unsigned parent_plus_1, unsigned number, uint64_t start_routine)
{
	uint8_t *start, *p;

	start = p = writer_record(64);
	put_varint(&p, parent_plus_1);
	put_varint(&p, number);
	put_pc(&p, start_routine);
	writer_commit(LP_REC_THREAD, (size_t)(p - start));
}

/*
 * Thread ids are places in the order of creation. Where several threads create threads, that order
 * may differ from execution to execution; an id then means another name, which the format cannot
 * say.
 */
void names_thread(uint32_t id)
{
	const struct fiber *f = &rt->fibers[id];
	uint8_t number = rt->fibers[f->parent].children;

	if (names->threads_known & bit(id)) {
		if (names->thread_parent[id] != f->parent || names->thread_number[id] != number)
			trace_note(LP_NOTE_THREAD_ORDER);
		return;
	}
	names->threads_known |= bit(id);
	names->thread_parent[id] = f->parent;
	names->thread_number[id] = number;
	thread_record(f->parent + 1U, number, (uint64_t)f->start);
}

void names_thread_text(uint32_t id, struct text *t)
{
	if (!id) {
		text_add(t, "T0");
		return;
	}
	names_thread_text(names->thread_parent[id], t);
	text_add(t, ".%u", (unsigned long)names->thread_number[id]);
}

/* What is known from the start: the modules and the main thread. */
static void describe_basics(void)
{
	modules_describe();
	names->threads_known = 1;
	thread_record(0, 0, 0);
}

void names_init(void)
{
	names = memory_get(sizeof *names);
	table_grow(&names->contexts);
	table_grow(&names->sites);
	table_grow(&names->locations);
	table_grow(&names->strings);
	names->contexts.n = 1; /* the root */
	modules_init();
	describe_basics();
}

/* After trace_restart: everything has to be described again. */
void names_forget(void)
{
	for (unsigned i = 0; i < 3; i++) {
		struct table *t = i == 0   ? &names->sites
				  : i == 1 ? &names->locations
					   : &names->strings;

		zero(t->slots, (t->mask + 1UL) * sizeof *t->slots);
		zero(t->recent, sizeof t->recent);
		t->n = 0;
	}
	zero(names->context_ids, names->context_ids_capacity * sizeof *names->context_ids);
	names->ncontext_ids = 0;
	describe_basics();
}
