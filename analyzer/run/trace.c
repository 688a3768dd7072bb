/* SPDX-License-Identifier: MIT
 *
 * Traces in memory: copies and schedules.
 */
#include "run/private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void *trace_copy_array(void *to, uint32_t *capacity, const void *from, uint32_t n, size_t size)
{
	if (*capacity < n) {
		*capacity = n + n / 4;
		free(to);
		to = xmalloc(*capacity * size);
	}
	if (n)
		memcpy(to, from, n * size);
	return to;
}

void trace_free(struct trace *t)
{
	free(t->events);
	free(t->ops);
	free(t->outcome.waiters);
	*t = (struct trace){ 0 };
}

void trace_copy(struct trace *to, const struct trace *from)
{
	*to = *from;
	to->events = NULL;
	to->ops = NULL;
	to->outcome.waiters = NULL;
	to->events_capacity = to->ops_capacity = to->waiters_capacity = 0;
	to->events = trace_copy_array(NULL, &to->events_capacity, from->events, from->nevents,
				      sizeof *to->events);
	to->ops = trace_copy_array(NULL, &to->ops_capacity, from->ops, from->nops, sizeof *to->ops);
	to->outcome.waiters = trace_copy_array(NULL, &to->waiters_capacity, from->outcome.waiters,
					       from->outcome.nwaiters, sizeof *to->outcome.waiters);
}

/* The operation that the thread is in at the end. */
static uint32_t open_operation(const struct trace *t, uint32_t thread)
{
	for (uint32_t i = t->nops; i-- > 0;)
		if (t->ops[i].thread == thread && t->ops[i].ret_event == NONE)
			return i;
	return NONE;
}

static void add_event(const struct run *run, struct trace *t, uint32_t thread, uint32_t site,
		      uint32_t location)
{
	const struct site *s = &run->sites[site];
	struct event *e;

	VEC_GROW(t->events, t->nevents, t->events_capacity);
	e = &t->events[t->nevents++];
	t->nadded++;
	*e = (struct event){
		.site = site,
		.thread = (uint16_t)thread,
		.kind = s->kind,
		.size = s->size,
		.location = location,
		.location2 = NONE,
		.region = NONE,
		.op = open_operation(t, thread),
		.other = NONE,
	};
	if (location == NONE)
		return;
	e->region = run->locations[location].region;
	e->offset = run->locations[location].offset;
	e->access = (uint8_t)lp_access(s->kind, s->flags);
}

static bool waits_in_lock(const struct run *run, const struct waiter *w)
{
	return (w->why == LP_WAIT_LOCK || w->why == LP_WAIT_SEMAPHORE) &&
	       !(run->sites[w->site].flags & LP_SITE_FUTEX);
}

static void add_waits(const struct run *run, struct trace *t)
{
	const struct outcome *o = &t->outcome;

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];
		bool again = i && o->waiters[i - 1].thread == w->thread;

		if (w->thread >= t->nthreads || w->site >= run->nsites || again)
			continue;
		add_event(run, t, w->thread, w->site, waits_in_lock(run, w) ? w->location : NONE);
		t->npending++;
	}
}

/* The access to memory that ended the execution is the last event, or not there if the thread was only about
 * to make it. */
static void add_fault(const struct run *run, struct trace *t)
{
	const struct outcome *o = &t->outcome;
	const struct event *last = t->nevents ? &t->events[t->nevents - 1] : NULL;

	if (!o->nwaiters || o->waiters[0].location == NONE || o->site >= run->nsites)
		return;
	if (last && last->thread == o->thread && last->location == o->waiters[0].location)
		return;
	add_event(run, t, o->thread, o->site, o->waiters[0].location);
	t->events[t->nevents - 1].access =
		o->kind == LP_OUT_BAD_FREE ? (uint8_t)LP_WRITES : (uint8_t)LP_READS;
}

uint32_t trace_final(const struct trace *t)
{
	uint32_t n = t->nevents - t->nadded;

	if (n && t->events[n - 1].kind == LP_EV_EXIT_ALL)
		return n - 1;
	if (t->outcome.kind == LP_OUT_OK || t->outcome.kind == LP_OUT_DEADLOCK || !n ||
	    t->events[n - 1].thread != t->outcome.thread)
		return NONE;
	return n - 1;
}

void trace_add_end(const struct run *run, struct trace *t)
{
	switch (t->outcome.kind) {
	case LP_OUT_DEADLOCK:
	case LP_OUT_LIVELOCK:
		add_waits(run, t);
		return;
	case LP_OUT_USE_AFTER_FREE:
	case LP_OUT_BAD_FREE:
	case LP_OUT_OUT_OF_BOUNDS:
		add_fault(run, t);
		return;
	default:
		return;
	}
}

char *trace_schedule(const struct run *run, const struct trace *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	uint32_t thread = NONE, count = 0;

	if (!f)
		return xstrdup("");
	for (uint32_t i = 0; i <= t->nevents; i++) {
		if (i < t->nevents && t->events[i].kind > LP_EV_LAST_STEP)
			continue;
		if (i < t->nevents && t->events[i].thread == thread) {
			count++;
			continue;
		}
		if (count > 1)
			fprintf(f, "x%u", count);
		if (i < t->nevents) {
			fprintf(f, "%s%s", thread == NONE ? "" : " ",
				run->threads[t->events[i].thread].name);
			thread = t->events[i].thread;
			count = 1;
		}
	}
	if (t->outcome.kind == LP_OUT_NO_PROGRESS && t->outcome.nwaiters)
		fprintf(f, " !%" PRIi64 ":%s", t->outcome.code,
			run->threads[t->outcome.waiters[0].thread].name);
	fclose(f);
	return text;
}
