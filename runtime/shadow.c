/* SPDX-License-Identifier: MIT
 *
 * Who touched what last: for each 8 bytes of memory that events touched in this execution, the
 * accesses that a later one may conflict with. A record is dropped once another one stands for it:
 * a write covers earlier accesses to the same bytes, another access the same thread's earlier ones of its kind,
 * because whatever conflicts with the old one conflicts with the new one as well, and the old one
 * happens before it. So lists stay as short as the number of threads.
 *
 * Most steps of an execution are those of the one before it. What they left is kept: each record has
 * what is needed to take it back, the latest first. The table is not cleared where nothing is kept: a
 * cell of an older generation counts as empty.
 *
 * An access to more memory than the table has cells for is entered as a whole. Each later one is compared with all of
 * these: they are rare.
 */
#include "shadow.h"
#include "memory.h"
#include "state.h"

struct record {
	uint32_t index; /* in the log */
	uint32_t next;  /* 0: end */
	uint8_t thread, mask, access;
	bool first;       /* its cell is new */
	uint32_t cell;    /* whose list it was put into... */
	uint32_t head;    /* ...and what was the first there */
	uint32_t dropped; /* links that were changed for it and those before */
};

/* A record was taken out behind another one. */
struct link {
	uint32_t record, next; /* what followed that */
};

struct cell {
	uint64_t key; /* address / 8 */
	uint32_t generation;
	uint32_t head;
};

struct wide {
	uint64_t addr, end;
	uint32_t index;
	uint8_t access;
};

struct shadow {
	struct cell *cells;
	uint32_t mask, used, generation;
	struct wide *wide;
	uint32_t nwide, wide_capacity;
	struct record *records;
	uint32_t nrecords, capacity;
	struct link *links;
	uint32_t nlinks, links_capacity;
	bool moved; /* cells are where they were not: nothing can be taken back */
};

void shadow_init(void)
{
	struct shadow *s = memory_get(sizeof *s);

	s->mask = (1 << 12) - 1;
	s->cells = memory_get((s->mask + 1UL) * sizeof *s->cells);
	s->capacity = 1 << 14;
	s->records = memory_get(s->capacity * sizeof *s->records);
	s->links_capacity = 1 << 12;
	s->links = memory_get(s->links_capacity * sizeof *s->links);
	s->wide_capacity = 1 << 6;
	s->wide = memory_get(s->wide_capacity * sizeof *s->wide);
	rt->shadow = s;
	shadow_keep(0);
}

static void take_back(struct shadow *s)
{
	const struct record *r = &s->records[--s->nrecords];
	struct cell *c = &s->cells[r->cell];

	while (s->nlinks > r[-1].dropped) {
		const struct link *l = &s->links[--s->nlinks];

		s->records[l->record].next = l->next;
	}
	c->head = r->head;
	if (r->first) { /* the latest that was put in, so nothing was put behind it */
		c->generation = 0;
		s->used--;
	}
}

uint32_t shadow_keep(uint32_t n)
{
	struct shadow *s = rt->shadow;

	if (n && !s->moved) {
		while (s->nrecords > 1 && s->records[s->nrecords - 1].index >= n)
			take_back(s);
		while (s->nwide && s->wide[s->nwide - 1].index >= n)
			s->nwide--;
		return n;
	}
	s->generation++;
	s->used = s->nlinks = s->nwide = 0;
	s->nrecords = 1;
	s->moved = false;
	return 0;
}

static struct cell *cell_slot(struct shadow *s, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ULL) >> 40) & s->mask;

	while (s->cells[i].generation == s->generation && s->cells[i].key != key)
		i = (i + 1) & s->mask;
	return &s->cells[i];
}

static void grow(struct shadow *s)
{
	struct cell *old = s->cells;
	uint32_t n = s->mask + 1;

	s->mask = n * 4 - 1;
	s->cells = memory_get(n * 4UL * sizeof *s->cells);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].generation == s->generation)
			*cell_slot(s, old[i].key) = old[i];
	s->moved = true;
}

static struct record *record_new(struct shadow *s)
{
	if (UNLIKELY(s->nrecords == s->capacity))
		s->records = memory_twice(s->records, &s->capacity, sizeof *s->records);
	return &s->records[s->nrecords++];
}

static void link_change(struct shadow *s, uint32_t record, uint32_t next)
{
	if (UNLIKELY(s->nlinks == s->links_capacity))
		s->links = memory_twice(s->links, &s->links_capacity, sizeof *s->links);
	s->links[s->nlinks++] = (struct link){ record, s->records[record].next };
	s->records[record].next = next;
}

/* Keeps the latest conflict of each thread, latest first. */
static void conflict_add(uint32_t *conflicts, unsigned *n, uint32_t index)
{
	uint8_t thread = rt->log[index].thread;
	unsigned i;

	for (i = 0; i < *n; i++)
		if (rt->log[conflicts[i]].thread == thread)
			break;
	if (i == *n)
		(*n)++;
	else if (conflicts[i] >= index)
		return;
	for (; i > 0 && conflicts[i - 1] < index; i--)
		conflicts[i] = conflicts[i - 1];
	conflicts[i] = index;
}

static void granule(uint64_t key, uint8_t mask, uint8_t access, uint32_t index, uint8_t thread,
		    uint32_t *conflicts, unsigned *n)
{
	struct shadow *s = rt->shadow;
	struct cell *c = cell_slot(s, key);
	struct record *r;
	uint32_t before = 0, at, head;
	bool first = c->generation != s->generation;

	if (first) {
		if (index == NO_EVENT)
			return;
		if (++s->used * 2 > s->mask) {
			grow(s);
			c = cell_slot(s, key);
		}
		c->key = key;
		c->generation = s->generation;
		c->head = 0;
	}
	head = c->head;
	for (at = head; at; at = r->next) {
		r = &s->records[at];
		if ((r->mask & mask) && r->thread != thread &&
		    lp_access_conflict(r->access, access))
			conflict_add(conflicts, n, r->index);
		if (index != NO_EVENT && !(r->mask & ~mask) &&
		    (access == LP_WRITES || (r->access == access && r->thread == thread))) {
			if (before)
				link_change(s, before, r->next);
			else
				c->head = r->next;
		} else {
			before = at;
		}
	}
	if (index == NO_EVENT)
		return;
	r = record_new(s);
	r->index = index;
	r->thread = thread;
	r->mask = mask;
	r->access = access;
	r->next = c->head;
	r->first = first;
	r->cell = (uint32_t)(c - s->cells);
	r->head = head;
	r->dropped = s->nlinks;
	c->head = (uint32_t)(r - s->records);
}

static __attribute__((noinline)) void meet_wide(uint64_t addr, uint64_t end, uint8_t access, uint8_t thread,
						uint32_t *conflicts, unsigned *n)
{
	const struct shadow *s = rt->shadow;

	for (const struct wide *w = s->wide; w < s->wide + s->nwide; w++)
		if (w->addr < end && addr < w->end && rt->log[w->index].thread != thread &&
		    lp_access_conflict(w->access, access))
			conflict_add(conflicts, n, w->index);
}

static void wide_enter(uint64_t addr, uint64_t end, uint8_t access, uint32_t index)
{
	struct shadow *s = rt->shadow;

	if (index == NO_EVENT)
		return;
	if (s->nwide == s->wide_capacity)
		s->wide = memory_twice(s->wide, &s->wide_capacity, sizeof *s->wide);
	s->wide[s->nwide++] = (struct wide){ addr, end, index, access };
}

/* A range with more granules than there are cells: of single ones only those that were touched matter. */
static void wide_access(uint64_t first, uint64_t last, uint8_t access, uint32_t index, uint8_t thread,
			uint32_t *conflicts, unsigned *n)
{
	const struct shadow *s = rt->shadow;

	for (uint32_t i = 0; i <= s->mask; i++) {
		const struct cell *c = &s->cells[i];

		if (c->generation == s->generation && c->key >= first && c->key <= last)
			granule(c->key, 0xff, access, index, thread, conflicts, n);
	}
}

void shadow_access(uint64_t addr, uint64_t size, uint8_t access, uint32_t index, uint8_t thread,
		   uint32_t *conflicts, unsigned *n)
{
	uint64_t first = addr >> 3, last = (addr + size - 1) >> 3;

	if (UNLIKELY(rt->shadow->nwide))
		meet_wide(addr, addr + size, access, thread, conflicts, n);
	if (LIKELY(first == last)) {
		granule(first, (uint8_t)(((1U << size) - 1) << (addr & 7)), access, index, thread,
			conflicts, n);
		return;
	}
	if (last - first > rt->shadow->mask) {
		wide_access(first, last, access, index, thread, conflicts, n);
		wide_enter(addr, addr + size, access, index);
		return;
	}
	granule(first, (uint8_t)(0xff << (addr & 7)), access, index, thread, conflicts, n);
	for (uint64_t key = first + 1; key < last; key++)
		granule(key, 0xff, access, index, thread, conflicts, n);
	granule(last, (uint8_t)(0xff >> (7 - ((addr + size - 1) & 7))), access, index, thread,
		conflicts, n);
}

void shadow_each(void (*f)(uint64_t key, unsigned mask, unsigned access, uint32_t index))
{
	const struct shadow *s = rt->shadow;

	for (uint32_t i = 0; i <= s->mask; i++) {
		const struct cell *c = &s->cells[i];

		if (c->generation != s->generation)
			continue;
		for (uint32_t at = c->head; at; at = s->records[at].next)
			f(c->key, s->records[at].mask, s->records[at].access, s->records[at].index);
	}
	for (const struct wide *w = s->wide; w < s->wide + s->nwide; w++)
		f(mix(w->addr, w->end), 0xff, w->access, w->index);
}
