/* SPDX-License-Identifier: MIT
 *
 * A model of the array stack of Afek et al.: all classes of executions of push(1) | push(2); pop |
 * pop. Include cmocka.h first.
 *
 * Two versions of pop: one writes null into every cell that it reads, the other only into one that
 * is not null.
 */
#ifndef REPAIR_STACK_H
#define REPAIR_STACK_H

#include "base/numbering.h"
#include "repair/order.h"
#include "repair_source.h"
#include "repair_traces.h"

static const char stack_text[] = "void push(int x)\n" /* 1 */
				 "{\n"
				 "	i = range++;\n"  /* 3 */
				 "	items[i] = x;\n" /* 4 */
				 "}\n"
				 "int pop(void)\n" /* 6 */
				 "{\n"
				 "	t = range - 1;\n"             /* 8 */
				 "	for (i = t; i >= 0; i--) {\n" /* 9 */
				 "		x = items[i];\n"      /* 10 */
				 "		items[i] = 0;\n"      /* 11 */
				 "		if (x)\n"             /* 12 */
				 "			break;\n"     /* 13 */
				 "	}\n"                          /* 14 */
				 "	return x;\n"                  /* 15 */
				 "}\n";

enum { S_DRIVER, S_CLAIM, S_FILL, S_TOP, S_ITEM, S_CLEAR };

static const struct fake_site stack_sites[] = {
	[S_DRIVER] = { { FRAME("driver", 99, 9) } },
	[S_CLAIM] = { { FRAME("driver", 90, 0), FRAME("push", 3, 0) } },
	[S_FILL] = { { FRAME("driver", 90, 0), FRAME("push", 4, 0) } },
	[S_TOP] = { { FRAME("driver", 91, 0), FRAME("pop", 8, 0) } },
	[S_ITEM] = { { FRAME("driver", 91, 0), FRAME("pop", 10, 0) } },
	[S_CLEAR] = { { FRAME("driver", 91, 0), FRAME("pop", 11, 0) } },
};

#define THREADS 3
#define RANGE   10 /* region; items[i] is region 11 + i */

/* What each thread does: pushes are values, pops are 0. */
static const int programs[THREADS][3] = { { 1, -1 }, { 2, 0, -1 }, { 0, -1 } };

struct machine {
	int range, items[2];
	struct fiber {
		int op, step; /* of programs[thread]; within the operation */
		int i, x;
	} fibers[THREADS];
	int popped[2];
	bool clear_all; /* pop writes null even where it has read null */
};

static bool finished(const struct machine *s, uint32_t thread)
{
	return programs[thread][s->fibers[thread].op] < 0;
}

static void end_operation(struct machine *s, struct maker *m, uint32_t thread, int result)
{
	struct fiber *f = &s->fibers[thread];

	if (programs[thread][f->op] == 0)
		s->popped[thread == 2] = result;
	make_return(m, thread, 1, result);
	f->op++;
	f->step = 0;
}

static void step_push(struct machine *s, struct maker *m, uint32_t thread)
{
	struct fiber *f = &s->fibers[thread];

	if (f->step++ == 0) {
		f->i = s->range++;
		make_access(m, thread, LP_EV_RMW, S_CLAIM, RANGE, 0, 4);
		return;
	}
	s->items[f->i] = programs[thread][f->op];
	make_access(m, thread, LP_EV_WRITE, S_FILL, RANGE + 1 + (uint32_t)f->i, 0, 4);
	end_operation(s, m, thread, 0);
}

static void step_pop(struct machine *s, struct maker *m, uint32_t thread)
{
	struct fiber *f = &s->fibers[thread];

	switch (f->step) {
	case 0:
		f->i = s->range - 1;
		make_access(m, thread, LP_EV_READ, S_TOP, RANGE, 0, 4);
		f->step = 1;
		if (f->i < 0)
			end_operation(s, m, thread, 0);
		return;
	case 1:
		f->x = s->items[f->i];
		make_access(m, thread, LP_EV_READ, S_ITEM, RANGE + 1 + (uint32_t)f->i, 0, 4);
		f->step = 2;
		if (f->x || s->clear_all)
			return;
		break;
	default:
		s->items[f->i] = 0;
		make_access(m, thread, LP_EV_WRITE, S_CLEAR, RANGE + 1 + (uint32_t)f->i, 0, 4);
	}
	f->step = 1;
	if (f->x || f->i-- == 0)
		end_operation(s, m, thread, f->x);
}

static void step(struct machine *s, struct maker *m, uint32_t thread)
{
	int op = programs[thread][s->fibers[thread].op];

	if (!s->fibers[thread].step)
		make_call(m, thread, 0, 0, 0);
	if (op)
		step_push(s, m, thread);
	else
		step_pop(s, m, thread);
}

/* Is the outcome that of a sequential run? Thread 1 pops first[0] after its push(2), thread 2 pops
 * first[1]. */
static bool sequential_outcome(const int *popped)
{
	/* All orders of: a = push 1, b = push 2, c = pop of thread 1 (after b), d = pop of
	 * thread 2. */
	static const char *const orders[] = { "abcd", "abdc", "adbc", "dabc", "bacd", "badc",
					      "bcad", "bcda", "bdac", "bdca", "dbac", "dbca" };

	for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
		int stack[2], n = 0, got[2] = { 0, 0 };

		for (const char *p = orders[k]; *p; p++)
			if (*p == 'a' || *p == 'b')
				stack[n++] = *p == 'a' ? 1 : 2;
			else if (n)
				got[*p == 'd'] = stack[--n];
		if (got[0] == popped[0] && got[1] == popped[1])
			return true;
	}
	return false;
}

struct class
{
	struct trace t;
	bool valid;
	int popped[2];
};

struct classes {
	struct class *list;
	uint32_t n, capacity;
	struct numbering seen;
};

/* The class as a key: each thread's sites, and the edges between threads. */
static uint32_t class_key(const struct trace *t, uint32_t *key)
{
	struct order o = { 0 };
	uint32_t n = 0, number[64], count[THREADS] = { 0 };

	order_build(&o, t);
	for (uint32_t i = 0; i < t->nevents; i++)
		number[i] = t->events[i].thread * 100 + count[t->events[i].thread]++;
	for (uint32_t thread = 0; thread < THREADS; thread++)
		for (uint32_t i = 0; i < t->nevents; i++) {
			if (t->events[i].thread != thread)
				continue;
			key[n++] = t->events[i].site * 1000 + t->events[i].region;
			for (uint32_t u = 0; u < THREADS; u++)
				for (uint32_t k = o.edge_start[i]; k < o.edge_start[i + 1]; k++)
					if (t->events[o.targets[k]].thread == u)
						key[n++] = 1000000 + number[o.targets[k]];
		}
	order_free(&o);
	return n;
}

static void add_class(struct classes *all, const struct machine *s, const struct trace *t)
{
	uint32_t key[512], n = class_key(t, key);
	struct class *c;
	bool added;

	numbering_add(&all->seen, key, n * sizeof *key, &added);
	if (!added)
		return;
	VEC_GROW(all->list, all->n, all->capacity);
	c = &all->list[all->n++];
	memset(c, 0, sizeof *c);
	c->t.nthreads = THREADS;
	c->t.nevents = t->nevents;
	c->t.events = xmalloc(t->nevents * sizeof *c->t.events);
	memcpy(c->t.events, t->events, t->nevents * sizeof *t->events);
	memcpy(c->popped, s->popped, sizeof c->popped);
	c->valid = sequential_outcome(s->popped);
}

static void explore(struct classes *all, const struct machine *s, struct maker *m)
{
	bool ended = true;

	for (uint32_t thread = 0; thread < THREADS; thread++) {
		struct machine next = *s;
		struct trace saved = m->t;
		uint32_t running = m->running[thread];

		if (finished(s, thread))
			continue;
		ended = false;
		step(&next, m, thread);
		explore(all, &next, m);
		m->t.nevents = saved.nevents;
		m->t.nops = saved.nops;
		m->running[thread] = running;
	}
	if (ended)
		add_class(all, s, &m->t);
}

static struct classes explore_stack(bool clear_all)
{
	struct machine s = { .clear_all = clear_all };
	struct classes all = { 0 };
	struct maker m;

	maker_init(&m);
	explore(&all, &s, &m);
	maker_free(&m);
	return all;
}

static void free_classes(struct classes *all)
{
	for (uint32_t i = 0; i < all->n; i++)
		free(all->list[i].t.events);
	free(all->list);
	numbering_free(&all->seen);
}

#endif
