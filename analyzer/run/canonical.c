/* SPDX-License-Identifier: MIT
 *
 * Ids of the run are mapped to new ones in the order in which the class's events name them. A
 * record that defines an id is written when the id is first met, so records come before their use
 * as the format demands; the class record is built aside and written last.
 */
#include "run/canonical.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
	unsigned char *data;
	size_t used, capacity;
};

/* New ids of one kind of record, by old id: new + 1, or 0 while the old id has not been met. */
struct renumber {
	uint32_t *new;
	uint32_t count, next;
};

struct writer {
	const struct run *run;
	struct bytes out, class;
	struct renumber strings, modules, contexts, sites, locations, threads;
};

static void put(struct bytes *b, const void *data, size_t n)
{
	if (b->capacity - b->used < n) {
		b->capacity = (b->used + n) * 2;
		b->data = xrealloc(b->data, b->capacity);
	}
	if (n)
		memcpy(b->data + b->used, data, n);
	b->used += n;
}

static void put_byte(struct bytes *b, unsigned char c)
{
	put(b, &c, 1);
}

static void put_number(struct bytes *b, uint64_t v)
{
	while (v >= 0x80) {
		put_byte(b, (unsigned char)(v | 0x80));
		v >>= 7;
	}
	put_byte(b, (unsigned char)v);
}

static void put_signed(struct bytes *b, int64_t v)
{
	put_number(b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void put_record(struct writer *w, enum lp_record type, const struct bytes *body)
{
	put_byte(&w->out, type);
	put_number(&w->out, body->used);
	put(&w->out, body->data, body->used);
}

/* Is there nothing to define? True for NONE as well. */
static bool has_id(const struct renumber *r, uint32_t old)
{
	return old >= r->count || r->new[old];
}

static void give_id(struct renumber *r, uint32_t old)
{
	r->new[old] = ++r->next;
}

/* New id + 1, or 0 for NONE. */
static uint32_t id_or_none(const struct renumber *r, uint32_t old)
{
	return old < r->count ? r->new[old] : 0;
}

static uint32_t id_of(const struct renumber *r, uint32_t old)
{
	uint32_t id = id_or_none(r, old);

	return id ? id - 1 : UINT32_MAX;
}

static void need_string(struct writer *w, uint32_t id)
{
	struct bytes body = { 0 };

	if (has_id(&w->strings, id))
		return;
	put(&body, w->run->strings[id], strlen(w->run->strings[id]));
	put_record(w, LP_REC_STRING, &body);
	give_id(&w->strings, id);
	free(body.data);
}

/* A module's path is not among the strings of the run as the reader gives it, so it gets a string
 * of its own. */
static void need_module(struct writer *w, uint32_t id)
{
	struct bytes body = { 0 };
	const char *path;

	if (has_id(&w->modules, id))
		return;
	path = w->run->modules[id].path;
	put(&body, path, strlen(path));
	put_record(w, LP_REC_STRING, &body);
	body.used = 0;
	put_number(&body, w->strings.next++);
	put_record(w, LP_REC_MODULE, &body);
	give_id(&w->modules, id);
	free(body.data);
}

static void put_context(struct writer *w, uint32_t id)
{
	const struct context *c = &w->run->contexts[id];
	struct bytes body = { 0 };

	need_module(w, c->module);
	put_number(&body, id_or_none(&w->contexts, c->parent));
	put_number(&body, id_or_none(&w->modules, c->module));
	put_number(&body, c->pc);
	put_record(w, LP_REC_CONTEXT, &body);
	give_id(&w->contexts, id);
	free(body.data);
}

/* Parents first. Without recursion, for a broken trace may have very deep ones. */
static void need_context(struct writer *w, uint32_t id)
{
	while (!has_id(&w->contexts, id)) {
		uint32_t top = id;

		while (!has_id(&w->contexts, w->run->contexts[top].parent))
			top = w->run->contexts[top].parent;
		put_context(w, top);
	}
}

static void need_site(struct writer *w, uint32_t id)
{
	struct bytes body = { 0 };
	const struct site *s;

	if (has_id(&w->sites, id))
		return;
	s = &w->run->sites[id];
	need_module(w, s->module);
	need_context(w, s->context);
	put_byte(&body, s->kind);
	put_byte(&body, s->flags);
	put_number(&body, s->size);
	put_number(&body, id_or_none(&w->modules, s->module));
	put_number(&body, s->pc);
	put_number(&body, id_or_none(&w->contexts, s->context));
	put_record(w, LP_REC_SITE, &body);
	give_id(&w->sites, id);
	free(body.data);
}

static void put_thread(struct writer *w, uint32_t id)
{
	const struct thread_info *t = &w->run->threads[id];
	struct bytes body = { 0 };

	need_module(w, t->module);
	put_number(&body, id_or_none(&w->threads, t->parent));
	put_number(&body, t->number);
	put_number(&body, id_or_none(&w->modules, t->module));
	put_number(&body, t->pc);
	put_record(w, LP_REC_THREAD, &body);
	give_id(&w->threads, id);
	free(body.data);
}

static void need_thread(struct writer *w, uint32_t id)
{
	while (!has_id(&w->threads, id)) {
		uint32_t top = id;

		while (!has_id(&w->threads, w->run->threads[top].parent))
			top = w->run->threads[top].parent;
		put_thread(w, top);
	}
}

static void need_location(struct writer *w, uint32_t id)
{
	struct bytes body = { 0 };
	const struct location *l;
	uint32_t a;

	if (has_id(&w->locations, id))
		return;
	l = &w->run->locations[id];
	a = l->a;
	if (l->type == LP_LOC_GLOBAL) {
		need_module(w, a);
		a = id_of(&w->modules, a);
	} else if (l->type == LP_LOC_HEAP || l->type == LP_LOC_STACK || l->type == LP_LOC_TLS) {
		need_thread(w, a);
		a = id_of(&w->threads, a);
	}
	put_byte(&body, l->type);
	put_number(&body, a);
	put_number(&body, l->b);
	put_number(&body, l->offset);
	put_record(w, LP_REC_LOCATION, &body);
	give_id(&w->locations, id);
	if (l->object < w->run->nobjects) {
		uint32_t string = w->run->objects[l->object].specification;

		need_string(w, string);
		body.used = 0;
		put_number(&body, id_of(&w->locations, id));
		put_number(&body, id_of(&w->strings, string));
		put_record(w, LP_REC_OBJECT, &body);
	}
	free(body.data);
}

static void put_location(struct writer *w, uint32_t id)
{
	need_location(w, id);
	put_number(&w->class, id_of(&w->locations, id));
}

static void put_other_thread(struct writer *w, uint32_t id)
{
	need_thread(w, id);
	put_number(&w->class, id_of(&w->threads, id));
}

static void put_call(struct writer *w, const struct trace *t, const struct event *e)
{
	const struct operation *op = e->op < t->nops ? &t->ops[e->op] : NULL;
	uint32_t n = op ? op->nargs : 0;

	put_location(w, e->location);
	need_string(w, e->other);
	put_number(&w->class, id_of(&w->strings, e->other));
	put_number(&w->class, n);
	for (uint32_t i = 0; i < n; i++)
		put_signed(&w->class, op->args[i]);
}

static void put_fields(struct writer *w, const struct trace *t, const struct event *e)
{
	bool values = !(w->run->sites[e->site].flags & LP_SITE_NOVALUE);

	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_CAS_FAIL:
	case LP_EV_WRITE:
	case LP_EV_RMW:
		put_location(w, e->location);
		if (values)
			put_number(&w->class, e->value[0]);
		if (values && e->kind == LP_EV_RMW)
			put_number(&w->class, e->value[1]);
		break;
	case LP_EV_WAIT:
	case LP_EV_BROADCAST:
		put_location(w, e->location);
		if (e->location2 != NONE)
			put_location(w, e->location2);
		break;
	case LP_EV_FREE:
	case LP_EV_ALLOC:
		put_location(w, e->location);
		put_number(&w->class, e->size);
		break;
	case LP_EV_CREATE:
	case LP_EV_JOIN:
		put_other_thread(w, e->other);
		break;
	case LP_EV_CALL:
		put_call(w, t, e);
		break;
	case LP_EV_RETURN:
		put_byte(&w->class, (unsigned char)e->other);
		put_signed(&w->class, (int64_t)e->value[0]);
		break;
	case LP_EV_START:
	case LP_EV_EXIT:
	case LP_EV_EXIT_ALL:
	case LP_EV_FENCE:
	case LP_EV_YIELD:
		break;
	default:
		put_location(w, e->location);
	}
}

static void put_outcome(struct writer *w, const struct outcome *o)
{
	need_thread(w, o->thread);
	need_site(w, o->site);
	need_string(w, o->message);
	put_byte(&w->class, o->kind);
	put_number(&w->class, id_of(&w->threads, o->thread));
	put_number(&w->class, id_or_none(&w->sites, o->site));
	put_signed(&w->class, o->code);
	put_number(&w->class, id_or_none(&w->strings, o->message));
	put_number(&w->class, 0); /* stacks are not compared */
	put_number(&w->class, o->nwaiters);
	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *waiter = &o->waiters[i];

		need_thread(w, waiter->thread);
		need_site(w, waiter->site);
		need_location(w, waiter->location);
		need_thread(w, waiter->holder);
		put_number(&w->class, id_of(&w->threads, waiter->thread));
		put_number(&w->class, id_or_none(&w->sites, waiter->site));
		put_number(&w->class, id_or_none(&w->locations, waiter->location));
		put_number(&w->class, id_or_none(&w->threads, waiter->holder));
		put_byte(&w->class, waiter->why);
	}
}

static void put_class(struct writer *w, const struct trace *t)
{
	uint32_t before = 0;

	put_number(&w->class, 1); /* its number, nothing kept, and so many events */
	put_number(&w->class, 0);
	put_number(&w->class, t->nevents);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		bool switched = e->thread != before;

		need_thread(w, e->thread);
		need_site(w, e->site);
		put_number(&w->class, (uint64_t)id_of(&w->sites, e->site) << 1 | switched);
		if (switched)
			put_number(&w->class, id_of(&w->threads, e->thread));
		before = e->thread;
		put_fields(w, t, e);
	}
	put_outcome(w, &t->outcome);
	put_record(w, LP_REC_CLASS, &w->class);
}

static void renumber_init(struct renumber *r, uint32_t count)
{
	*r = (struct renumber){ .new = xcalloc(count, sizeof *r->new), .count = count };
}

unsigned char *trace_canonical(const struct run *run, const struct trace *t, size_t *size)
{
	static const unsigned char version[4] = { LP_TRACE_VERSION };
	struct writer w = { .run = run };
	struct renumber *all[] = { &w.strings, &w.modules,   &w.contexts,
				   &w.sites,   &w.locations, &w.threads };
	const uint32_t counts[] = { run->nstrings, run->nmodules,   run->ncontexts,
				    run->nsites,   run->nlocations, run->nthreads };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		renumber_init(all[i], counts[i]);
	put(&w.out, LP_TRACE_MAGIC, 8);
	put(&w.out, version, sizeof version);
	need_thread(&w, 0); /* the thread before the first event is 0 */
	put_class(&w, t);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]->new);
	free(w.class.data);
	*size = w.out.used;
	return w.out.data;
}
