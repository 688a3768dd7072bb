/* SPDX-License-Identifier: MIT */
#include "race/sync.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *clock_of(uint32_t *all, const struct sync *s, uint32_t thread)
{
	return all + (size_t)thread * s->nthreads;
}

static void join(const struct sync *s, uint32_t *to, const uint32_t *from)
{
	for (uint32_t i = 0; i < s->nthreads; i++)
		if (from[i] > to[i])
			to[i] = from[i];
}

static void assign(const struct sync *s, uint32_t *to, const uint32_t *from)
{
	memcpy(to, from, s->nthreads * sizeof *to);
}

static void free_objects(struct sync *s)
{
	for (uint32_t i = 0; i < s->nobjects; i++) {
		free(s->objects[i].writes);
		free(s->objects[i].reads);
	}
	s->nobjects = 0;
	numbering_free(&s->names);
	s->names = (struct numbering){ 0 };
}

void sync_begin(struct sync *s, const struct trace *t)
{
	size_t size = (size_t)t->nthreads * t->nthreads;

	free_objects(s);
	free(s->clocks);
	free(s->at_release);
	free(s->for_acquire);
	s->nthreads = t->nthreads;
	s->clocks = xcalloc(size, sizeof *s->clocks);
	s->at_release = xcalloc(size, sizeof *s->at_release);
	s->for_acquire = xcalloc(size, sizeof *s->for_acquire);
}

void sync_free(struct sync *s)
{
	free_objects(s);
	free(s->objects);
	free(s->clocks);
	free(s->at_release);
	free(s->for_acquire);
	*s = (struct sync){ 0 };
}

static struct sync_object *object(struct sync *s, uint64_t region, uint64_t offset)
{
	uint64_t key[] = { region, offset };
	bool added;
	uint32_t n = numbering_add(&s->names, key, sizeof key, &added);

	if (added) {
		VEC_GROW(s->objects, s->nobjects, s->objects_capacity);
		s->objects[s->nobjects++] =
			(struct sync_object){ xcalloc(s->nthreads, sizeof(uint32_t)),
					      xcalloc(s->nthreads, sizeof(uint32_t)) };
	}
	return &s->objects[n];
}

static bool acquires(unsigned order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
	       order == __ATOMIC_SEQ_CST;
}

static bool releases(unsigned order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void atomic_access(struct sync *s, const struct event *e, unsigned order)
{
	struct sync_object *o = object(s, e->region, e->offset);
	uint32_t *c = clock_of(s->clocks, s, e->thread);

	if (e->kind != LP_EV_WRITE)
		join(s, acquires(order) ? c : clock_of(s->for_acquire, s, e->thread), o->writes);
	if (e->kind == LP_EV_READ || e->kind == LP_EV_CAS_FAIL)
		return;
	/* A read-modify-write goes on with the release sequence that it finds. */
	if (e->kind == LP_EV_WRITE)
		memset(o->writes, 0, s->nthreads * sizeof *o->writes);
	join(s, o->writes, releases(order) ? c : clock_of(s->at_release, s, e->thread));
}

static void fence(struct sync *s, uint32_t thread, unsigned order)
{
	uint32_t *c = clock_of(s->clocks, s, thread);

	if (acquires(order))
		join(s, c, clock_of(s->for_acquire, s, thread));
	if (releases(order))
		assign(s, clock_of(s->at_release, s, thread), c);
}

/* Events of locks and the like. Where the standard says less (a condition alone), this says that it
 * synchronizes: nobody is accused then. */
static void object_event(struct sync *s, const struct run *run, const struct event *e)
{
	struct sync_object *o = e->location == NONE ? NULL : object(s, e->region, e->offset);
	uint32_t *c = clock_of(s->clocks, s, e->thread);

	switch (e->kind) {
	case LP_EV_LOCK:
		join(s, c, o->reads);
		join(s, c, o->writes);
		break;
	case LP_EV_RDLOCK:
	case LP_EV_ONCE: /* the end of its routine is an unlock */
		join(s, c, o->writes);
		break;
	case LP_EV_UNLOCK:
		join(s, o->writes, c);
		break;
	case LP_EV_RDUNLOCK:
		join(s, o->reads, c);
		break;
	case LP_EV_WAIT:
		join(s, o->writes, c);
		if (e->location2 != NONE && !(run->sites[e->site].flags & LP_SITE_FUTEX)) {
			const struct location *l = &run->locations[e->location2];

			o = object(s, l->region, l->offset);
			join(s, o->writes, c);
		}
		break;
	case LP_EV_SIGNAL:
	case LP_EV_BROADCAST:
	case LP_EV_SEM_POST:
	case LP_EV_SEND:
		join(s, o->writes, c);
		break;
	case LP_EV_BARRIER: /* the last one leaves it at once */
		join(s, c, o->writes);
		join(s, o->writes, c);
		break;
	case LP_EV_WAKE:
	case LP_EV_WOKEN:
	case LP_EV_SEM_WAIT:
	case LP_EV_BARRIER_LEAVE:
	case LP_EV_TAKE:
		join(s, c, o->writes);
		break;
	default:
		break;
	}
}

uint32_t sync_event(struct sync *s, const struct run *run, const struct event *e, enum access_sort sort)
{
	uint32_t *c = clock_of(s->clocks, s, e->thread), seq = ++c[e->thread];
	unsigned order = LP_SITE_ORDER(run->sites[e->site].flags);

	if (sort == ACCESS_ATOMIC)
		atomic_access(s, e, order);
	else if (sort == ACCESS_MAYBE || sort == ACCESS_ORDERED)
		atomic_access(s, e, __ATOMIC_ACQ_REL);
	else if (e->kind == LP_EV_FENCE)
		fence(s, e->thread, order);
	else if (e->kind == LP_EV_CREATE && e->other < s->nthreads)
		join(s, clock_of(s->clocks, s, e->other), c);
	else if (e->kind == LP_EV_JOIN && e->other < s->nthreads)
		join(s, c, clock_of(s->clocks, s, e->other));
	else if (sort == ACCESS_NONE && e->location != NONE)
		object_event(s, run, e);
	return seq;
}
