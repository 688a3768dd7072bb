/* SPDX-License-Identifier: MIT
 *
 * Traces made by hand or at random, for tests of the analysis.
 */
#ifndef REPAIR_TRACES_H
#define REPAIR_TRACES_H

#include <stdlib.h>
#include <string.h>

#include "run/trace.h"

#define MAX_TEST_THREADS 8

struct maker {
	struct trace t;
	uint32_t running[MAX_TEST_THREADS]; /* the thread's operation, NONE outside */
};

static inline void maker_init(struct maker *m)
{
	memset(m, 0, sizeof *m);
	memset(m->running, 0xff, sizeof m->running);
}

static inline void maker_free(struct maker *m)
{
	free(m->t.events);
	free(m->t.ops);
	memset(m, 0, sizeof *m);
}

static inline uint32_t make_event(struct maker *m, unsigned thread, unsigned kind, uint32_t site)
{
	struct trace *t = &m->t;
	struct event *e;

	VEC_GROW(t->events, t->nevents, t->events_capacity);
	e = &t->events[t->nevents];
	memset(e, 0, sizeof *e);
	e->site = site;
	e->thread = (uint16_t)thread;
	e->kind = (uint8_t)kind;
	e->access = (uint8_t)lp_kind_access(kind);
	e->location = e->location2 = e->other = NONE;
	e->op = m->running[thread];
	if (thread >= t->nthreads)
		t->nthreads = thread + 1;
	return t->nevents++;
}

/* An access to bytes offset .. offset + size - 1 of a region. */
static inline uint32_t make_access(struct maker *m, unsigned thread, unsigned kind, uint32_t site,
				   uint32_t region, uint64_t offset, uint32_t size)
{
	uint32_t i = make_event(m, thread, kind, site);

	m->t.events[i].location = region * 64 + (uint32_t)offset;
	m->t.events[i].region = region;
	m->t.events[i].offset = offset;
	m->t.events[i].size = size;
	return i;
}

/* Whole-variable accesses: variable v is region v. */
static inline uint32_t make_read(struct maker *m, unsigned thread, uint32_t v, uint32_t site)
{
	return make_access(m, thread, LP_EV_READ, site, v, 0, 8);
}

static inline uint32_t make_write(struct maker *m, unsigned thread, uint32_t v, uint32_t site)
{
	return make_access(m, thread, LP_EV_WRITE, site, v, 0, 8);
}

static inline uint32_t make_call(struct maker *m, unsigned thread, uint32_t name, uint32_t nargs,
				 int64_t argument)
{
	struct trace *t = &m->t;
	struct operation *op;

	VEC_GROW(t->ops, t->nops, t->ops_capacity);
	op = &t->ops[t->nops];
	memset(op, 0, sizeof *op);
	op->thread = (uint16_t)thread;
	op->name = name;
	op->nargs = nargs;
	op->args[0] = argument;
	op->ret_event = NONE;
	m->running[thread] = t->nops++;
	t->ops[m->running[thread]].call = make_event(m, thread, LP_EV_CALL, 0);
	return m->running[thread];
}

static inline void make_return(struct maker *m, unsigned thread, unsigned kind, int64_t value)
{
	uint32_t op = m->running[thread], i = make_event(m, thread, LP_EV_RETURN, 0);

	m->t.ops[op].ret_event = i;
	m->t.ops[op].ret_kind = (uint8_t)kind;
	m->t.ops[op].ret = value;
	m->running[thread] = NONE;
}

/* A small random generator, the same everywhere. */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((*state >> 33) % n);
}

#endif
