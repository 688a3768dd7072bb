/* SPDX-License-Identifier: MIT
 *
 * Whether a class is correct depends only on its operations with their values, on which calls happen
 * before which returns, and on how it ends (analyzer/judge/class.c has the same key). That is
 * hashed thread by thread, for the order in which threads ran is not a part of it. An operation that
 * gives up is judged by whether it goes on after a lock that it did not get, so that counts, too.
 */
#include "alike.h"
#include "memory.h"
#include "state.h"
#include "words.h"

/* A call, or the creation of a thread or a join. */
struct point {
	uint32_t steps;  /* of its thread up to it */
	uint32_t number; /* from 1, in its thread */
	uint32_t before; /* 1 + index of the one of its thread before it; 0 */
};

static struct alike {
	struct point *points;
	uint64_t hash[MAX_FIBERS];
	uint32_t latest[MAX_FIBERS]; /* 1 + index of the latest point; 0 */
	uint32_t step[MAX_FIBERS];   /* 1 + log index of the latest step; 0 */
	bool failed[MAX_FIBERS];     /* the running operation did not get a lock */
	bool order;                  /* what operations know of others counts */
	uint32_t n;
} *a;

void alike_init(void)
{
	a = memory_get(sizeof *a);
	a->points = memory_get(log_capacity() * sizeof *a->points);
}

static void add(unsigned thread, uint64_t value)
{
	a->hash[thread] = mix(a->hash[thread], value);
}

static void add_point(unsigned thread)
{
	struct point *p = &a->points[a->n++];
	uint32_t before = a->latest[thread], step = a->step[thread];

	p->steps = step ? rt->log[step - 1].seq : 0;
	p->number = before ? a->points[before - 1].number + 1 : 1;
	p->before = before;
	a->latest[thread] = a->n;
}

uint32_t alike_known(unsigned thread, uint32_t steps)
{
	uint32_t i = a->latest[thread];

	while (i && a->points[i - 1].steps >= steps)
		i = a->points[i - 1].before;
	return i ? a->points[i - 1].number : 0;
}

/* How many points of each thread happen before. */
static void add_needs(unsigned thread)
{
	uint32_t step = a->step[thread];

	for (unsigned u = 0; a->order && u < rt->nfibers; u++)
		add(thread, alike_known(u, step ? rt->clocks[step - 1][u] : 0));
}

static void add_call(const struct event *e)
{
	const struct call *c = &rt->calls[e->op];

	add(e->thread, (uint64_t)e->kind << 8 | c->nargs);
	add(e->thread, (uint64_t)c->name);
	add(e->thread, e->addr);
	add(e->thread, e->block); /* one address may be that of several objects in turn */
	for (uint32_t i = 0; i < c->nargs; i++)
		add(e->thread, (uint64_t)c->args[i]);
	add_point(e->thread);
	a->failed[e->thread] = false;
}

/* Does an operation that has not got a lock go on? */
static bool goes_on(const struct event *e)
{
	return e->kind == LP_EV_LOCK || e->kind == LP_EV_RDLOCK || e->kind == LP_EV_SEM_WAIT ||
	       ((e->kind == LP_EV_WRITE || e->kind == LP_EV_RMW) && e->access != LP_READS);
}

static void add_step(uint32_t i)
{
	const struct event *e = &rt->log[i];

	a->step[e->thread] = i + 1;
	if (e->kind == LP_EV_TRYLOCK_FAIL || (a->failed[e->thread] && goes_on(e))) {
		a->failed[e->thread] = e->kind == LP_EV_TRYLOCK_FAIL;
		add(e->thread, e->kind == LP_EV_TRYLOCK_FAIL);
	}
}

static void add_event(uint32_t i)
{
	const struct event *e = &rt->log[i];

	if (event_is_step(e))
		add_step(i);
	switch (e->kind) {
	case LP_EV_CALL:
		add_call(e);
		break;
	case LP_EV_RETURN:
		add(e->thread, (uint64_t)e->kind << 8 | e->op);
		add(e->thread, e->value[0]);
		add_needs(e->thread);
		break;
	case LP_EV_CREATE:
	case LP_EV_JOIN:
		add(e->thread, (uint64_t)e->kind << 8 | e->other);
		add_point(e->thread);
		break;
	default:
		break;
	}
}

/* Where it ended, and what all that are left wait for. */
static uint64_t end_hash(uint64_t h)
{
	const struct outcome *o = &rt->outcome;

	h = mix(mix(h, o->kind), (uint64_t)o->code);
	if (o->kind <= LP_OUT_EXIT)
		return h;
	h = mix(mix(mix(h, o->thread), o->pc), rt->end_state);
	for (const char *p = o->message; *p; p++)
		h = mix(h, (uint8_t)*p);
	for (uint64_t left = rt->ready | rt->blocked; left; left &= left - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(left)];

		h = mix(mix(mix(h, f->id), f->pending.pc), f->pending.addr);
	}
	return h;
}

uint64_t alike_past(bool order)
{
	uint64_t h = 0;

	a->n = 0;
	a->order = order;
	for (unsigned i = 0; i < rt->nfibers; i++) {
		a->hash[i] = a->latest[i] = a->step[i] = 0;
		a->failed[i] = false;
	}
	for (uint32_t i = 0; i < rt->n; i++)
		add_event(i);
	for (unsigned i = 0; i < rt->nfibers; i++)
		h = hash_part(h, a->hash[i]);
	return h;
}

uint64_t alike_key(bool order)
{
	return end_hash(alike_past(order));
}

uint64_t alike_end(void)
{
	return end_hash(0);
}
