/* SPDX-License-Identifier: MIT */
#include "judge/beyond.h"

#include <stdlib.h>
#include <string.h>


#define MOST_NEXT    1000 /* events that a thread goes on for */
#define MOST_CLASSES 1000 /* more of them hardly tell more */

struct wanted {
	uint64_t hash; /* of what the thread has done and read */
	uint32_t thread;
	struct event *next; /* what it does then */
	uint32_t n, capacity;
	bool whole; /* that is all of it */
};

struct beyond {
	bool operations;
	struct wanted *list; /* sorted once it is looked at */
	uint32_t n, capacity, left;
	bool sorted;
	uint64_t *classes;
	uint32_t nclasses, classes_capacity, at;
	/* By thread, in the class that is looked at. */
	struct course {
		uint64_t hash;
		uint32_t nesting, events;
		bool over;
	} course[LP_MAX_THREADS];
};

struct beyond *beyond_new(bool operations)
{
	struct beyond *b = xcalloc(1, sizeof *b);

	b->operations = operations;
	return b;
}

void beyond_free(struct beyond *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		free(b->list[i].next);
	free(b->list);
	free(b->classes);
	free(b);
}

/* ---- how far a thread has come ---- */

static void go_on(struct course *c, const struct event *e)
{
	c->hash = hash_mix(hash_mix(c->hash + 1, (uint64_t)e->site << 32 | e->location),
			   hash_mix(e->value[0], e->value[1]));
	c->events++;
	c->nesting += e->kind == LP_EV_CALL;
	c->nesting -= e->kind == LP_EV_RETURN && c->nesting;
	c->over = e->kind == LP_EV_EXIT;
}

static void run_through(struct beyond *b, const struct trace *t)
{
	memset(b->course, 0, sizeof b->course);
	for (uint32_t i = 0; i < t->nevents - t->nadded; i++)
		if (t->events[i].thread < LP_MAX_THREADS)
			go_on(&b->course[t->events[i].thread], &t->events[i]);
}

/* What a thread is in the middle of does not reach beyond this event, which is not part of it. */
static bool stops_before(const struct beyond *b, const struct course *c, const struct event *e)
{
	switch (e->kind) {
	case LP_EV_CREATE:
	case LP_EV_JOIN:
	case LP_EV_EXIT:
	case LP_EV_EXIT_ALL:
		return true;
	case LP_EV_CALL:
		return b->operations && !c->nesting;
	default:
		return false;
	}
}

/* ---- what is to be looked up ---- */

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

bool beyond_want(struct beyond *b, const struct trace *t)
{
	bool any = false;

	if (b->nclasses == MOST_CLASSES)
		return false;
	run_through(b, t);
	for (uint32_t u = 0; u < t->nthreads && u < LP_MAX_THREADS; u++) {
		const struct course *c = &b->course[u];

		if (u == t->outcome.thread || !c->events || c->over)
			continue;
		VEC_GROW(b->list, b->n, b->capacity);
		b->list[b->n++] = (struct wanted){ .hash = c->hash, .thread = u };
		any = true;
	}
	if (!any)
		return false;
	VEC_GROW(b->classes, b->nclasses, b->classes_capacity);
	b->classes[b->nclasses++] = t->number;
	return true;
}

bool beyond_wanted(struct beyond *b, uint64_t class)
{
	if (b->at == b->nclasses || b->classes[b->at] != class)
		return false;
	b->at++;
	return true;
}

uint64_t beyond_left(const struct beyond *b)
{
	return b->nclasses - b->at;
}

static void sort_wanted(struct beyond *b)
{
	uint32_t n = 0;

	if (b->n)
		qsort(b->list, b->n, sizeof *b->list, compare_wanted);
	for (uint32_t i = 0; i < b->n; i++)
		if (!n || compare_wanted(&b->list[n - 1], &b->list[i]) != 0)
			b->list[n++] = b->list[i];
	b->n = b->left = n;
	b->sorted = true;
}

static struct wanted *find(const struct beyond *b, uint32_t thread, uint64_t hash)
{
	const struct wanted key = { .hash = hash, .thread = thread };

	return b->n ? bsearch(&key, b->list, b->n, sizeof *b->list, compare_wanted) : NULL;
}

/* ---- where it is found ---- */

/* The longest is taken, or the first one that is whole. */
static void follow(struct beyond *b, uint32_t thread, const struct trace *t, uint32_t from,
		   struct wanted *w)
{
	struct course c = b->course[thread];
	uint32_t n = 0;
	bool whole = false;

	for (uint32_t i = from; i < t->nevents && n < MOST_NEXT && !whole; i++) {
		const struct event *e = &t->events[i];
		bool inside = c.nesting > 0;

		if (e->thread != thread)
			continue;
		if (stops_before(b, &c, e)) {
			whole = true;
			break;
		}
		go_on(&c, e);
		n++;
		whole = b->operations && inside && !c.nesting;
	}
	if (n < w->n || (n == w->n && !whole))
		return;
	w->n = 0;
	for (uint32_t i = from; w->n < n; i++) {
		if (t->events[i].thread != thread)
			continue;
		VEC_GROW(w->next, w->n, w->capacity);
		w->next[w->n] = t->events[i];
		w->next[w->n++].op = NONE;
	}
	w->whole = whole;
	b->left -= whole;
}

bool beyond_see(struct beyond *b, const struct trace *t)
{
	if (!b->sorted)
		sort_wanted(b);
	memset(b->course, 0, sizeof b->course);
	for (uint32_t i = 0; i < t->nevents && b->left; i++) {
		uint32_t thread = t->events[i].thread;
		struct wanted *w;

		if (thread >= LP_MAX_THREADS)
			continue;
		go_on(&b->course[thread], &t->events[i]);
		w = find(b, thread, b->course[thread].hash);
		if (w && !w->whole)
			follow(b, thread, t, i + 1, w);
	}
	return b->left > 0;
}

void beyond_add(struct beyond *b, struct trace *t)
{
	run_through(b, t);
	for (uint32_t u = 0; u < t->nthreads && u < LP_MAX_THREADS; u++) {
		const struct wanted *w = find(b, u, b->course[u].hash);

		for (uint32_t i = 0; w && u != t->outcome.thread && i < w->n; i++) {
			VEC_GROW(t->events, t->nevents, t->events_capacity);
			t->events[t->nevents++] = w->next[i];
			t->nadded++;
			t->nbeyond++;
		}
	}
}
