/* SPDX-License-Identifier: MIT */
#include "run/join_tables.h"
#include "run/join.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH_SIZE 4 /* of a record's length, as the runtime writes it */

/* ---- records ---- */

void put_byte(struct record *r, unsigned v)
{
	VEC_GROW(r->bytes, r->n, r->capacity);
	r->bytes[r->n++] = (unsigned char)v;
}

void put_varint(struct record *r, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(r, (unsigned)(v & 0x7f) | 0x80);
	put_byte(r, (unsigned)v);
}

void put_svarint(struct record *r, int64_t v)
{
	put_varint(r, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void put_id_or_none(struct record *r, uint32_t id)
{
	put_varint(r, id == NONE ? 0 : id + 1ULL);
}

static void put_text(struct record *r, const char *s)
{
	for (; *s; s++)
		put_byte(r, (unsigned char)*s);
}

void join_record(struct join_tables *t, unsigned type)
{
	struct record *r = &t->record;
	unsigned char head[1 + LENGTH_SIZE] = { (unsigned char)type };

	for (unsigned i = 0; i < LENGTH_SIZE; i++)
		head[i + 1] = (unsigned char)((r->n >> 7 * i & 0x7f) |
					      (i < LENGTH_SIZE - 1 ? 0x80 : 0));
	if (t->to) {
		fwrite(head, sizeof head, 1, t->to);
		fwrite(r->bytes, 1, r->n, t->to);
	}
	t->bytes += sizeof head + r->n;
	r->n = 0;
}

/* ---- definitions ---- */

/* The number of a key of so many 64-bit numbers. */
static uint32_t number_of(struct numbering *m, bool *added, unsigned n, const uint64_t *key)
{
	return numbering_add(m, key, n * sizeof *key, added);
}

#define NUMBER_OF(m, added, ...)                                                                   \
	number_of(m, added, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),                \
		  (const uint64_t[]){ __VA_ARGS__ })

static uint32_t define_string(struct join_tables *t, const char *s)
{
	bool added;
	uint32_t id = numbering_add(&t->strings, s, strlen(s), &added);

	if (added) {
		put_text(&t->record, s);
		join_record(t, LP_REC_STRING);
	}
	return id;
}

uint32_t join_string(struct join_part *p, uint32_t id)
{
	if (p->strings[id] == NONE)
		p->strings[id] = define_string(p->tables, p->run->strings[id]);
	return p->strings[id];
}

void join_module_line(FILE *to, uint32_t id, const struct module *m)
{
	fprintf(to, "%u %s %llx ", id, m->build_id, (unsigned long long)m->size);
	for (const char *s = m->path; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 32 || c == '\\' || c == 127)
			fprintf(to, "\\%03o", c);
		else
			putc(c, to);
	}
	putc('\n', to);
}

bool module_rebuilt(const struct module *a, const struct module *b)
{
	return !strcmp(a->path, b->path) && (strcmp(a->build_id, b->build_id) != 0 || a->size != b->size);
}

static void note_build(struct join_tables *t, uint32_t id, const struct module *m)
{
	if (id == t->nbuilds) {
		VEC_GROW(t->builds, t->nbuilds, t->builds_capacity);
		t->builds[t->nbuilds++] = (struct module){ .path = xstrdup(m->path),
							   .build_id = xstrdup(m->build_id),
							   .size = m->size };
	}
	if (!t->rebuilt && module_rebuilt(&t->builds[id], m))
		t->rebuilt = xstrdup(m->path);
}

static uint32_t join_module(struct join_part *p, uint32_t id)
{
	struct join_tables *t = p->tables;
	const struct module *m = &p->run->modules[id];
	uint32_t string;
	bool added;

	if (p->modules[id] != NONE)
		return p->modules[id];
	p->modules[id] = numbering_add(&t->modules, m->path, strlen(m->path), &added);
	note_build(t, p->modules[id], m);
	if (added) {
		if (t->modules_file)
			join_module_line(t->modules_file, p->modules[id], m);
		string = define_string(t, m->path);
		put_varint(&t->record, string);
		join_record(t, LP_REC_MODULE);
	}
	return p->modules[id];
}

static uint32_t module_or_none(struct join_part *p, uint32_t id)
{
	return id == NONE ? NONE : join_module(p, id);
}

static uint32_t join_context(struct join_part *p, uint32_t id)
{
	const struct context *c;
	uint32_t parent, module;
	bool added;

	if (id == NONE)
		return NONE;
	c = &p->run->contexts[id];
	if (p->contexts[id] != NONE)
		return p->contexts[id];
	parent = join_context(p, c->parent);
	module = module_or_none(p, c->module);
	p->contexts[id] = NUMBER_OF(&p->tables->contexts, &added, parent, module, c->pc);
	if (added) {
		put_id_or_none(&p->tables->record, parent);
		put_id_or_none(&p->tables->record, module);
		put_varint(&p->tables->record, c->pc);
		join_record(p->tables, LP_REC_CONTEXT);
	}
	return p->contexts[id];
}

uint32_t join_site(struct join_part *p, uint32_t id)
{
	const struct site *s = &p->run->sites[id];
	struct record *r = &p->tables->record;
	uint32_t module, context;
	bool added;

	if (p->sites[id] != NONE)
		return p->sites[id];
	module = module_or_none(p, s->module);
	context = join_context(p, s->context);
	p->sites[id] = NUMBER_OF(&p->tables->sites, &added, s->kind, s->flags, s->size, module,
				 s->pc, context);
	if (added) {
		put_byte(r, s->kind);
		put_byte(r, s->flags);
		put_varint(r, s->size);
		put_id_or_none(r, module);
		put_varint(r, s->pc);
		put_id_or_none(r, context);
		join_record(p->tables, LP_REC_SITE);
	}
	return p->sites[id];
}

static bool of_thread(const struct location *l)
{
	return l->type == LP_LOC_HEAP || l->type == LP_LOC_STACK || l->type == LP_LOC_TLS;
}

uint32_t join_location(struct join_part *p, uint32_t id)
{
	const struct location *l = &p->run->locations[id];
	struct record *r = &p->tables->record;
	uint32_t a = l->a;
	bool added;

	if (p->locations[id] != NONE)
		return p->locations[id];
	if (l->type == LP_LOC_GLOBAL)
		a = join_module(p, l->a);
	else if (of_thread(l))
		join_thread(p, l->a);
	p->locations[id] =
		NUMBER_OF(&p->tables->locations, &added, l->type, a, l->b, l->offset);
	if (added) {
		put_byte(r, l->type);
		put_varint(r, a);
		put_varint(r, l->b);
		put_varint(r, l->offset);
		join_record(p->tables, LP_REC_LOCATION);
	}
	return p->locations[id];
}

static void add_note(struct join_tables *t, const char *text)
{
	bool added;

	numbering_add(&t->notes, text, strlen(text), &added);
	if (!added)
		return;
	put_varint(&t->record, define_string(t, text));
	join_record(t, LP_REC_NOTE);
}

void join_thread(struct join_part *p, uint32_t id)
{
	struct join_tables *t = p->tables;
	const struct thread_info *x = &p->run->threads[id];
	uint32_t module;

	if (id < t->nthreads) {
		if (t->threads[id].parent != x->parent || t->threads[id].number != x->number)
			add_note(t, LP_NOTE_THREAD_ORDER);
		return;
	}
	if (id > t->nthreads)
		join_thread(p, id - 1);
	module = module_or_none(p, x->module);
	VEC_GROW(t->threads, t->nthreads, t->threads_capacity);
	t->threads[t->nthreads++] = (struct thread_info){ .parent = x->parent, .number = x->number };
	put_id_or_none(&t->record, x->parent);
	put_varint(&t->record, x->number);
	put_id_or_none(&t->record, module);
	put_varint(&t->record, x->pc);
	join_record(t, LP_REC_THREAD);
}

static void put_value(struct join_part *p, const struct stack_value *v)
{
	struct record *r = &p->tables->record;

	put_byte(r, v->kind);
	if (v->kind == LP_STACK_CODE)
		put_varint(r, p->modules[v->module]);
	if (v->kind != LP_STACK_OTHER)
		put_varint(r, v->at);
}

uint32_t join_stack(struct join_part *p, uint32_t id)
{
	const struct stack *s = &p->run->stacks[id];
	struct record *r = &p->tables->record;
	uint32_t next = 0;
	bool added;

	if (p->stacks[id] != NONE)
		return p->stacks[id];
	join_thread(p, s->thread);
	put_varint(r, s->thread);
	for (unsigned i = 0; i < LP_STACK_REGISTERS; i++)
		put_value(p, &s->registers[i]);
	for (uint32_t i = 0; i < s->nwords; i++) {
		put_varint(r, s->words[i].index - next);
		put_value(p, &s->words[i].value);
		next = s->words[i].index + 1;
	}
	p->stacks[id] = numbering_add(&p->tables->stacks, r->bytes, r->n, &added);
	if (added)
		join_record(p->tables, LP_REC_STACK);
	r->n = 0;
	return p->stacks[id];
}

void join_said(struct join_part *p)
{
	struct join_tables *t = p->tables;
	const struct run *run = p->run;
	bool added;

	for (uint32_t i = 0; i < run->nobjects; i++) {
		uint32_t location = join_location(p, run->objects[i].location);
		uint32_t string = join_string(p, run->objects[i].specification);

		NUMBER_OF(&t->objects, &added, location, string);
		if (!added)
			continue;
		put_varint(&t->record, location);
		put_varint(&t->record, string);
		join_record(t, LP_REC_OBJECT);
	}
	for (uint32_t i = 0; i < run->nnotes; i++)
		add_note(t, run->strings[run->notes[i]]);
	for (uint32_t i = 0; i < run->nlimits; i++) {
		const struct limit *l = &run->limits[i];
		uint32_t site = join_site(p, l->site), location = join_location(p, l->location);
		uint32_t stack = l->stack == NONE ? NONE : join_stack(p, l->stack);

		/* one a place, as the runtime does it */
		uint32_t name = l->name == NONE ? NONE : join_string(p, l->name);

		NUMBER_OF(&t->limits, &added, l->kind, run->sites[l->site].pc, name);
		if (!added)
			continue;
		put_varint(&t->record, l->kind);
		put_varint(&t->record, site);
		put_varint(&t->record, location);
		put_id_or_none(&t->record, stack);
		if (name != NONE)
			put_varint(&t->record, name);
		join_record(t, LP_REC_LIMIT);
	}
}

/* ---- parts ---- */

static uint32_t *none(uint32_t n)
{
	uint32_t *list = xcalloc(n + 1UL, sizeof *list);

	memset(list, 0xff, n * sizeof *list);
	return list;
}

void join_part_begin(struct join_part *p, struct join_tables *t, struct run *run)
{
	*p = (struct join_part){
		.tables = t,
		.run = run,
		.strings = none(run->nstrings),
		.modules = none(run->nmodules),
		.contexts = none(run->ncontexts),
		.sites = none(run->nsites),
		.locations = none(run->nlocations),
		.stacks = none(run->nstacks),
	};
	for (uint32_t i = 0; i < run->nmodules; i++)
		join_module(p, i);
	if (run->nthreads)
		join_thread(p, 0);
}

void join_part_end(struct join_part *p)
{
	free(p->strings);
	free(p->modules);
	free(p->contexts);
	free(p->sites);
	free(p->locations);
	free(p->stacks);
}

/* Everything that the trace defines, as if it were a part, but written nowhere. */
void join_tables_know(struct join_tables *t, struct run *run)
{
	FILE *to = t->to, *modules_file = t->modules_file;
	struct join_part p;

	t->modules_file = NULL;
	t->to = NULL;
	join_part_begin(&p, t, run);
	for (uint32_t i = 0; i < run->nstrings; i++)
		join_string(&p, i);
	for (uint32_t i = 0; i < run->ncontexts; i++)
		join_context(&p, i);
	for (uint32_t i = 0; i < run->nsites; i++)
		join_site(&p, i);
	for (uint32_t i = 0; i < run->nthreads; i++)
		join_thread(&p, i);
	for (uint32_t i = 0; i < run->nlocations; i++)
		join_location(&p, i);
	for (uint32_t i = 0; i < run->nstacks; i++)
		join_stack(&p, i);
	join_said(&p);
	join_part_end(&p);
	t->to = to;
	t->modules_file = modules_file;
}

void join_tables_free(struct join_tables *t)
{
	struct numbering *all[] = { &t->strings, &t->modules, &t->contexts, &t->sites, &t->locations,
				    &t->stacks,	 &t->objects, &t->notes,    &t->limits };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		numbering_free(all[i]);
	for (uint32_t i = 0; i < t->nbuilds; i++) {
		free(t->builds[i].path);
		free(t->builds[i].build_id);
	}
	free(t->builds);
	free(t->rebuilt);
	free(t->record.bytes);
	free(t->threads);
}
