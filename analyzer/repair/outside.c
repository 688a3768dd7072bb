/* SPDX-License-Identifier: MIT */
#include "repair/outside.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbering.h"

/* What a thread does between two creations or joins that it takes part in is ordered alike before and
 * after other threads. */
struct touch { /* accesses that differ in nothing but when they are, as in a loop */
	const struct event *event;
	uint32_t last;  /* the last one of them */
	uint32_t epoch; /* of the thread */
	bool inside;
};

struct scan {
	const struct trace *t;
	uint32_t nthreads;
	uint32_t *epoch;  /* by thread, NONE: it has done nothing yet */
	uint32_t *clocks; /* by epoch and thread: its events before this number come before */
	uint32_t nepochs, capacity;
	struct touch *touches;
	uint32_t ntouches, touches_capacity;
};

bool outside_counts(const struct event *e)
{
	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_RMW:
	case LP_EV_CAS_FAIL:
	case LP_EV_FREE:
	case LP_EV_TRYLOCK_FAIL:
		return true;
	default:
		return false;
	}
}

static uint32_t *clock_of(const struct scan *s, uint32_t epoch)
{
	return s->clocks + (size_t)epoch * s->nthreads;
}

/* A new epoch of a thread, after all that comes before its present one and that of `other`. */
static uint32_t *begin_epoch(struct scan *s, uint32_t thread, uint32_t other)
{
	const uint32_t from[2] = { s->epoch[thread], other == NONE ? NONE : s->epoch[other] };
	uint32_t *clock;

	if (s->nepochs == s->capacity) {
		s->capacity = s->capacity * 2 + 16;
		s->clocks = xreallocarray(s->clocks, (size_t)s->capacity * s->nthreads,
					  sizeof *s->clocks);
	}
	s->epoch[thread] = s->nepochs++;
	clock = clock_of(s, s->epoch[thread]);
	memset(clock, 0, s->nthreads * sizeof *clock);
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t u = 0; from[i] != NONE && u < s->nthreads; u++)
			if (clock_of(s, from[i])[u] > clock[u])
				clock[u] = clock_of(s, from[i])[u];
	return clock;
}

static void follow(struct scan *s, uint32_t i)
{
	const struct event *e = &s->t->events[i];

	if (s->epoch[e->thread] == NONE)
		begin_epoch(s, e->thread, NONE);
	if (e->other >= s->nthreads)
		return;
	if (e->kind == LP_EV_CREATE)
		begin_epoch(s, e->other, e->thread)[e->thread] = i + 1;
	if (e->kind == LP_EV_JOIN)
		begin_epoch(s, e->thread, e->other)[e->other] = i;
}

static void collect(struct scan *s, bool (*inside)(void *data, const struct event *e), void *data)
{
	struct numbering known = { 0 };

	for (uint32_t i = 0; i < s->t->nevents; i++) {
		const struct event *e = &s->t->events[i];
		uint32_t n, key[6] = { e->site, e->thread, e->location, e->size, e->access };
		bool added;

		follow(s, i);
		if (!e->access || trace_gives_again(s->t, i))
			continue;
		key[5] = s->epoch[e->thread];
		n = numbering_add(&known, key, sizeof key, &added);
		if (added) {
			VEC_GROW(s->touches, s->ntouches, s->touches_capacity);
			s->touches[s->ntouches++] = (struct touch){
				.event = e,
				.epoch = key[5],
				.inside = inside(data, e),
			};
		}
		s->touches[n].last = i;
	}
	numbering_free(&known);
}

/* a begins first in the trace. Must it also come first in all others? */
static bool ordered(const struct scan *s, const struct touch *a, const struct touch *b)
{
	return clock_of(s, b->epoch)[a->event->thread] > a->last;
}

void outside_of(const struct trace *t, bool (*inside)(void *data, const struct event *e),
		void (*found)(void *data, const struct event *outside), void *data)
{
	struct scan s = { .t = t };

	for (uint32_t i = 0; i < t->nevents; i++)
		if (t->events[i].thread >= s.nthreads)
			s.nthreads = t->events[i].thread + 1;
	s.epoch = xmalloc(s.nthreads * sizeof *s.epoch);
	memset(s.epoch, 0xff, s.nthreads * sizeof *s.epoch);
	collect(&s, inside, data);
	for (uint32_t i = 0; i < s.ntouches; i++) {
		const struct touch *a = &s.touches[i];

		for (uint32_t k = i + 1; k < s.ntouches; k++) {
			const struct touch *b = &s.touches[k];
			const struct event *outside = a->inside ? b->event : a->event;

			if (a->inside != b->inside && outside_counts(outside) &&
			    events_conflict(a->event, b->event) && !ordered(&s, a, b))
				found(data, outside);
		}
	}
	free(s.touches);
	free(s.clocks);
	free(s.epoch);
}

struct among_blocks {
	struct flows *flows;
	const struct repair *blocks;
	void (*found)(void *data, const struct event *outside);
	void *data;
};

static bool in_blocks(void *data, const struct event *e)
{
	const struct among_blocks *a = data;

	return flows_inside(a->flows, e->site, a->blocks);
}

static void found_outside(void *data, const struct event *outside)
{
	const struct among_blocks *a = data;

	a->found(a->data, outside);
}

void outside_conflicts(struct flows *f, const struct trace *t, const struct repair *blocks,
		       void (*found)(void *data, const struct event *outside), void *data)
{
	struct among_blocks a = { f, blocks, found, data };

	outside_of(t, in_blocks, found_outside, &a);
}
