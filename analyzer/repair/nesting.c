/* SPDX-License-Identifier: MIT
 *
 * Which locks are taken while which others are held.
 *
 * An atomic block around the two calls of one thread excludes a deadlock as it was seen, but as a lock it
 * does not help: the other thread takes its first lock outside of it. What helps is to take the locks
 * in one order everywhere, or one more lock, always taken first, from the first call to the last of every
 * nesting of two locks of the circle. The nestings come from all executions, not only from those that
 * ended in the deadlock.
 */
#include "repair/nesting.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbering.h"
#include "repair/locate.h"

#define MOST_HELD 64 /* locks of one thread at a time */

struct held {
	uint32_t locks[MOST_HELD], events[MOST_HELD], n;
};

struct nestings {
	struct flows *flows;
	struct order order;
	bool operations;
	struct numbering keys;
	struct nesting *list;
	uint32_t capacity;
	struct numbering tried; /* locks that were, in vain */
	struct held *held;      /* by thread */
	uint32_t nheld;
};

struct nestings *nestings_new(const struct source_map *map, bool operations)
{
	struct nestings *n = xcalloc(1, sizeof *n);

	n->flows = flows_new(map);
	n->operations = operations;
	return n;
}

void nestings_free(struct nestings *n)
{
	if (!n)
		return;
	flows_free(n->flows);
	order_free(&n->order);
	numbering_free(&n->keys);
	numbering_free(&n->tried);
	free(n->list);
	free(n->held);
	free(n);
}

const struct nesting *nestings_get(const struct nestings *n, uint32_t i)
{
	return i < n->keys.n ? &n->list[i] : NULL;
}

static void locate(struct nestings *n, const struct trace *t, uint32_t first, uint32_t second,
		   struct nesting *nesting)
{
	const struct segment s = { first, second };
	uint32_t part;

	order_build(&n->order, t);
	order_outside(&n->order, t, n->operations);
	part = n->order.instance[first];
	nesting->located = part != NONE && part == n->order.instance[second] &&
			   locate_covering(n->flows, t, &n->order, &s, &nesting->block);
}

static void note(struct nestings *n, const struct trace *t, uint32_t first, uint32_t second)
{
	const struct event *a = &t->events[first], *b = &t->events[second];
	const uint32_t key[4] = { a->site, b->site, a->location, b->location };
	bool added;
	uint32_t number = numbering_add(&n->keys, key, sizeof key, &added);

	if (!added)
		return;
	VEC_GROW(n->list, number, n->capacity);
	n->list[number] = (struct nesting){ .first = a->location,
					    .second = b->location,
					    .first_site = a->site,
					    .second_site = b->site };
	locate(n, t, first, second, &n->list[number]);
}

static void release(struct held *h, uint32_t lock)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		if (h->locks[i] == lock)
			continue;
		h->locks[kept] = h->locks[i];
		h->events[kept++] = h->events[i];
	}
	h->n = kept;
}

void nestings_add(struct nestings *n, const struct trace *t)
{
	bool added;

	if (n->nheld < t->nthreads) {
		n->nheld = t->nthreads;
		n->held = xreallocarray(n->held, n->nheld, sizeof *n->held);
	}
	for (uint32_t u = 0; u < t->nthreads; u++)
		n->held[u].n = 0;
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		struct held *h = &n->held[e->thread];

		if (e->kind == LP_EV_TRYLOCK_FAIL)
			numbering_add(&n->tried, &e->location, sizeof e->location, &added);
		if (e->kind == LP_EV_UNLOCK || e->kind == LP_EV_RDUNLOCK)
			release(h, e->location);
		if (e->kind == LP_EV_WAIT && e->location2 != NONE)
			release(h, e->location2);
		if ((e->kind != LP_EV_LOCK && e->kind != LP_EV_RDLOCK) || e->location == NONE)
			continue;
		for (uint32_t k = 0; k < h->n; k++)
			if (h->locks[k] != e->location)
				note(n, t, h->events[k], i);
		if (h->n < MOST_HELD) {
			h->locks[h->n] = e->location;
			h->events[h->n++] = i;
		}
	}
}

/* ---- circles ---- */

static const struct waiter *lock_waiter(const struct trace *t, uint32_t thread)
{
	for (uint32_t i = 0; i < t->outcome.nwaiters; i++) {
		const struct waiter *w = &t->outcome.waiters[i];

		if (w->thread == thread && w->why == LP_WAIT_LOCK && w->location != NONE)
			return w;
	}
	return NULL;
}

static int compare_locks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The circle in which a thread is, if following who holds what comes back to it. */
static bool circle_from(const struct trace *t, uint32_t thread, struct lock_circle *c)
{
	const struct waiter *w = lock_waiter(t, thread);

	c->n = 0;
	for (; w && c->n < t->outcome.nwaiters; w = lock_waiter(t, w->holder)) {
		c->locks[c->n++] = w->location;
		if (w->holder == thread)
			return c->n > 1;
		if (w->holder == NONE)
			break;
	}
	return false;
}

bool lock_circle_find(const struct trace *t, struct lock_circle *c)
{
	c->n = 0;
	c->locks = NULL;
	if (t->outcome.kind != LP_OUT_DEADLOCK || !t->outcome.nwaiters)
		return false;
	c->locks = xmalloc(t->outcome.nwaiters * sizeof *c->locks);
	for (uint32_t i = 0; i < t->outcome.nwaiters; i++) {
		if (!circle_from(t, t->outcome.waiters[i].thread, c))
			continue;
		qsort(c->locks, c->n, sizeof *c->locks, compare_locks);
		return true;
	}
	free(c->locks);
	c->locks = NULL;
	return false;
}

static bool has_lock(const struct lock_circle *c, uint32_t lock)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->locks[i] == lock)
			return true;
	return false;
}

bool lock_circle_has(const struct lock_circle *c, const struct nesting *n)
{
	return has_lock(c, n->first) && has_lock(c, n->second);
}

bool lock_circle_tried(const struct nestings *n, const struct lock_circle *c)
{
	for (uint32_t i = 0; i < n->tried.n; i++) {
		uint32_t lock;

		memcpy(&lock, n->tried.bytes + n->tried.keys[i].start, sizeof lock);
		if (has_lock(c, lock))
			return true;
	}
	return false;
}

bool nestings_gate(const struct nestings *n, const struct lock_circle *c, struct repair *r)
{
	repair_init(r);
	for (uint32_t i = 0; i < n->keys.n; i++) {
		if (!lock_circle_has(c, &n->list[i]))
			continue;
		if (!n->list[i].located) {
			repair_free(r);
			return false;
		}
		repair_add(r, &n->list[i].block);
	}
	return r->nblocks > 0;
}
