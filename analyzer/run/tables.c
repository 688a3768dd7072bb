/* SPDX-License-Identifier: MIT
 *
 * The tables of a run: strings, modules, contexts, sites, locations, threads, objects and notes, as
 * the trace defines them record by record. Every id is checked against what is defined so far, so
 * users of the tables need not do so.
 */
#include "run/private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A name holds a number for each ancestor; deeper nesting of threads than this is damage. */
#define MAX_THREAD_NAME 1024
#define MAX_THREADS     UINT16_MAX

int cursor_broken(struct cursor *c, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return error_set(c->e, "%s: byte %llu: %s; the trace is damaged: explore again",
			 c->run->private->path,
			 (unsigned long long)(c->offset + (uint64_t)(c->p - c->body)), text);
}

int cursor_varint_slow(struct cursor *c, uint64_t *v)
{
	uint64_t value = 0;
	const uint8_t *p = c->p;

	for (unsigned shift = 0; shift < 70; shift += 7, p++) {
		if (p == c->end)
			return cursor_broken(c, "the record ends where a number was expected");
		if (shift == 63 && *p > 1)
			break;
		value |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80)) {
			c->p = p + 1;
			*v = value;
			return 0;
		}
	}
	return cursor_broken(c, "expected a number of at most 64 bits");
}

int cursor_byte(struct cursor *c, uint8_t *v)
{
	if (c->p == c->end)
		return cursor_broken(c, "the record ends where a byte was expected");
	*v = *c->p++;
	return 0;
}

int cursor_svarint(struct cursor *c, int64_t *v)
{
	uint64_t u;

	if (cursor_varint(c, &u))
		return -1;
	*v = (int64_t)(u >> 1 ^ -(u & 1));
	return 0;
}

int cursor_id(struct cursor *c, uint32_t limit, const char *what, uint32_t *id)
{
	const uint8_t *at = c->p;
	uint64_t v;

	if (cursor_varint(c, &v))
		return -1;
	if (v >= limit) {
		c->p = at;
		return cursor_broken(c, "%s %llu, expected one of the %u before this", what,
				     (unsigned long long)v, limit);
	}
	*id = (uint32_t)v;
	return 0;
}

int cursor_id_or_none(struct cursor *c, uint32_t limit, const char *what, uint32_t *id)
{
	const uint8_t *at = c->p;
	uint64_t v;

	if (cursor_varint(c, &v))
		return -1;
	if (v > limit) {
		c->p = at;
		return cursor_broken(c, "%s %llu, expected none or one of the %u before this", what,
				     (unsigned long long)(v - 1), limit);
	}
	*id = v ? (uint32_t)(v - 1) : NONE;
	return 0;
}

static int cursor_u32(struct cursor *c, const char *what, uint32_t *v)
{
	return cursor_id(c, UINT32_MAX, what, v);
}

static int add_string(struct cursor *c, struct run *run)
{
	VEC_GROW(run->strings, run->nstrings, run->private->strings_capacity);
	run->strings[run->nstrings++] = xstrndup((const char *)c->p, (size_t)(c->end - c->p));
	c->p = c->end;
	return 0;
}

/* The list in RUNDIR/modules is written first; should it be short, the trace still names the
 * module. */
static int add_module(struct cursor *c, struct run *run)
{
	struct run_private *p = run->private;
	const uint8_t *at = c->p;
	uint32_t path, id = p->module_records;

	if (cursor_id(c, run->nstrings, "string", &path))
		return -1;
	if (id < run->nmodules && strcmp(run->modules[id].path, run->strings[path])) {
		c->p = at;
		return cursor_broken(c, "module %u is %.100s, expected %.100s as in %.100s/modules",
				     id, run->strings[path], run->modules[id].path, run->directory);
	}
	if (id == run->nmodules) {
		VEC_GROW(run->modules, run->nmodules, p->modules_capacity);
		run->modules[run->nmodules++] =
			(struct module){ .path = xstrdup(run->strings[path]),
					 .build_id = xstrdup("-") };
	}
	p->module_records++;
	return 0;
}

static int add_context(struct cursor *c, struct run *run)
{
	struct context x;

	if (cursor_id_or_none(c, run->ncontexts, "context", &x.parent) ||
	    cursor_id_or_none(c, run->nmodules, "module", &x.module) || cursor_varint(c, &x.pc))
		return -1;
	VEC_GROW(run->contexts, run->ncontexts, run->private->contexts_capacity);
	run->contexts[run->ncontexts++] = x;
	return 0;
}

static int add_site(struct cursor *c, struct run *run)
{
	struct site s;

	if (cursor_byte(c, &s.kind) || cursor_byte(c, &s.flags))
		return -1;
	if (s.kind >= LP_EV_COUNT) {
		c->p -= 2;
		return cursor_broken(c, "event kind %u, expected less than %d", s.kind,
				     LP_EV_COUNT);
	}
	if (cursor_u32(c, "size", &s.size) ||
	    cursor_id_or_none(c, run->nmodules, "module", &s.module) || cursor_varint(c, &s.pc) ||
	    cursor_id_or_none(c, run->ncontexts, "context", &s.context))
		return -1;
	VEC_GROW(run->sites, run->nsites, run->private->sites_capacity);
	run->sites[run->nsites++] = s;
	return 0;
}

static uint32_t region_hash(const struct location *l)
{
	uint64_t h = hash_mix(hash_mix(l->type, l->a), l->b);

	return (uint32_t)(h ^ h >> 32);
}

static void region_insert(struct run *run, uint32_t region)
{
	struct run_private *p = run->private;
	uint32_t i = region_hash(&run->locations[p->region_first[region]]) & p->region_mask;

	while (p->region_slots[i])
		i = (i + 1) & p->region_mask;
	p->region_slots[i] = region + 1;
}

static void regions_rehash(struct run *run)
{
	struct run_private *p = run->private;
	uint32_t size = p->region_slots ? (p->region_mask + 1) * 2 : 64;

	free(p->region_slots);
	p->region_slots = xcalloc(size, sizeof *p->region_slots);
	p->region_mask = size - 1;
	for (uint32_t r = 0; r < run->nregions; r++)
		region_insert(run, r);
}

/* The region of the location about to become the last one. */
static uint32_t find_region(struct run *run, const struct location *l)
{
	struct run_private *p = run->private;

	if (!p->region_slots || run->nregions >= p->region_mask / 2)
		regions_rehash(run);
	for (uint32_t i = region_hash(l) & p->region_mask; p->region_slots[i];
	     i = (i + 1) & p->region_mask) {
		uint32_t region = p->region_slots[i] - 1;
		const struct location *first = &run->locations[p->region_first[region]];

		if (first->type == l->type && first->a == l->a && first->b == l->b)
			return region;
	}
	return NONE;
}

static int add_location(struct cursor *c, struct run *run)
{
	struct run_private *p = run->private;
	struct location l = { .object = NONE };

	if (cursor_byte(c, &l.type))
		return -1;
	if (l.type >= LP_LOC_COUNT) {
		c->p--;
		return cursor_broken(c, "location type %u, expected less than %d", l.type,
				     LP_LOC_COUNT);
	}
	if (l.type == LP_LOC_GLOBAL  ? cursor_id(c, run->nmodules, "module", &l.a)
	    : l.type == LP_LOC_OTHER || l.type == LP_LOC_FREED || l.type == LP_LOC_BLOCKS ||
				    l.type == LP_LOC_CHANNEL
		    ? cursor_id(c, 1, "field", &l.a)
				     : cursor_id(c, run->nthreads, "thread", &l.a))
		return -1;
	if (l.type == LP_LOC_HEAP ? cursor_u32(c, "allocation", &l.b)
				  : cursor_id(c, 1, "field", &l.b))
		return -1;
	if (cursor_varint(c, &l.offset))
		return -1;
	VEC_GROW(run->locations, run->nlocations, p->locations_capacity);
	l.region = find_region(run, &l);
	run->locations[run->nlocations] = l;
	if (l.region == NONE) {
		VEC_GROW(p->region_first, run->nregions, p->region_capacity);
		p->region_first[run->nregions] = run->nlocations;
		run->locations[run->nlocations].region = run->nregions;
		region_insert(run, run->nregions++);
	}
	run->nlocations++;
	return 0;
}

static int add_thread(struct cursor *c, struct run *run)
{
	struct thread_info t;

	if (cursor_id_or_none(c, run->nthreads, "thread", &t.parent) ||
	    cursor_u32(c, "number", &t.number) ||
	    cursor_id_or_none(c, run->nmodules, "module", &t.module) || cursor_varint(c, &t.pc))
		return -1;
	if (run->nthreads >= MAX_THREADS ||
	    (t.parent != NONE && strlen(run->threads[t.parent].name) > MAX_THREAD_NAME))
		return cursor_broken(c, "more threads than a program can have");
	t.name = t.parent == NONE ? xstrdup("0")
				  : xasprintf("%s.%u", run->threads[t.parent].name, t.number);
	VEC_GROW(run->threads, run->nthreads, run->private->threads_capacity);
	run->threads[run->nthreads++] = t;
	return 0;
}

static int add_object(struct cursor *c, struct run *run)
{
	struct object o;

	if (cursor_id(c, run->nlocations, "location", &o.location) ||
	    cursor_id(c, run->nstrings, "string", &o.specification))
		return -1;
	run->locations[o.location].object = run->nobjects;
	VEC_GROW(run->objects, run->nobjects, run->private->objects_capacity);
	run->objects[run->nobjects++] = o;
	return 0;
}

static int add_note(struct cursor *c, struct run *run)
{
	uint32_t string;

	if (cursor_id(c, run->nstrings, "string", &string))
		return -1;
	VEC_GROW(run->notes, run->nnotes, run->private->notes_capacity);
	run->notes[run->nnotes++] = string;
	return 0;
}

static int add_limit(struct cursor *c, struct run *run)
{
	struct limit *l;
	uint64_t kind;

	VEC_GROW(run->limits, run->nlimits, run->private->limits_capacity);
	l = &run->limits[run->nlimits];
	if (cursor_varint(c, &kind) || cursor_id(c, run->nsites, "site", &l->site) ||
	    cursor_id(c, run->nlocations, "location", &l->location) ||
	    cursor_id_or_none(c, run->nstacks, "stack", &l->stack))
		return -1;
	l->kind = (uint32_t)kind;
	l->name = NONE;
	if (kind & LP_LIMITS_WITH_NAMES && cursor_id(c, run->nstrings, "string", &l->name))
		return -1;
	run->nlimits++;
	return 0;
}

static int add_leaks(struct cursor *c, struct run *run)
{
	struct leak leak;
	uint64_t n;

	if (cursor_varint(c, &leak.class) || cursor_varint(c, &n))
		return -1;
	for (; n; n--) {
		if (cursor_id(c, run->nsites, "site", &leak.site) ||
		    cursor_id(c, run->nlocations, "location", &leak.location) ||
		    cursor_varint(c, &leak.blocks) || cursor_varint(c, &leak.bytes))
			return -1;
		if (run->nleaks >= READER_MAX_ENTRIES)
			return cursor_broken(c, "more than %u leaks", READER_MAX_ENTRIES);
		VEC_GROW(run->leaks, run->nleaks, run->private->leaks_capacity);
		run->leaks[run->nleaks++] = leak;
	}
	run->nlooks++;
	return 0;
}

int tables_add(struct cursor *c, unsigned type)
{
	static const struct {
		int (*add)(struct cursor *c, struct run *run);
		size_t count; /* offset of the number of entries in struct run */
		const char *name;
	} kinds[LP_REC_COUNT] = {
		[LP_REC_STRING] = { add_string, offsetof(struct run, nstrings), "string" },
		[LP_REC_MODULE] = { add_module, offsetof(struct run, nmodules), "module" },
		[LP_REC_CONTEXT] = { add_context, offsetof(struct run, ncontexts), "context" },
		[LP_REC_SITE] = { add_site, offsetof(struct run, nsites), "site" },
		[LP_REC_LOCATION] = { add_location, offsetof(struct run, nlocations), "location" },
		[LP_REC_THREAD] = { add_thread, offsetof(struct run, nthreads), "thread" },
		[LP_REC_OBJECT] = { add_object, offsetof(struct run, nobjects), "object" },
		[LP_REC_NOTE] = { add_note, offsetof(struct run, nnotes), "note" },
		[LP_REC_STACK] = { add_stack, offsetof(struct run, nstacks), "stack" },
		[LP_REC_LEAKS] = { add_leaks, offsetof(struct run, nlooks), "leaks" },
		[LP_REC_LIMIT] = { add_limit, offsetof(struct run, nlimits), "limit" },
	};
	struct run *run = c->run;

	if (*(const uint32_t *)((const char *)run + kinds[type].count) >= READER_MAX_ENTRIES)
		return cursor_broken(c, "more than %u records of type %s", READER_MAX_ENTRIES,
				     kinds[type].name);
	if (kinds[type].add(c, run))
		return -1;
	if (c->p != c->end)
		return cursor_broken(c, "expected the end of the %s record", kinds[type].name);
	return 0;
}
