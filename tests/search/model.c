/* SPDX-License-Identifier: MIT
 *
 * The states of a program and their ends: depth first, with a table of the states that were met.
 * What one thread does without another being able to see when it does it (it is created, it joins,
 * it allocates) is part of its step before.
 */
#include "model.h"
#include "model_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
	struct state *list;
	uint32_t *slots;
	uint32_t n, capacity, mask;
};

static void *need(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
	return p;
}

/* True if the state is new. */
static bool table_add(struct table *t, const struct state *s)
{
	uint64_t h = 14695981039346656037UL;
	uint32_t at;

	for (size_t i = 0; i < sizeof *s; i++)
		h = (h ^ ((const uint8_t *)s)[i]) * 1099511628211UL;
	for (at = (uint32_t)(h ^ h >> 32) & t->mask; t->slots[at]; at = (at + 1) & t->mask)
		if (!memcmp(&t->list[t->slots[at] - 1], s, sizeof *s))
			return false;
	if (t->n == t->capacity)
		return false;
	t->list[t->n++] = *s;
	t->slots[at] = t->n;
	return true;
}

static int compare_records(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct record));
}

static void add_end(struct model *m, const struct state *s)
{
	if (m->nends == m->capacity) {
		m->capacity = m->capacity * 2 + 16;
		m->ends = need(realloc(m->ends, m->capacity * sizeof *m->ends));
	}
	m->ends[m->nends++] = s->record;
}

static void sort_ends(struct model *m)
{
	uint32_t n = 0;

	qsort(m->ends, m->nends, sizeof *m->ends, compare_records);
	for (uint32_t i = 0; i < m->nends; i++)
		if (!n || compare_records(&m->ends[n - 1], &m->ends[i]))
			m->ends[n++] = m->ends[i];
	m->nends = n;
}

bool model_has(const struct model *m, const struct record *r)
{
	return m->nends && bsearch(r, m->ends, m->nends, sizeof *r, compare_records);
}

void model_build(struct model *m, const struct program *p, uint32_t most)
{
	struct table t = { .capacity = most, .mask = 1 };
	struct state s;

	while (t.mask < 2 * most)
		t.mask = t.mask * 2 + 1;
	t.list = need(malloc(most * sizeof *t.list));
	t.slots = need(calloc(t.mask + 1UL, sizeof *t.slots));
	memset(m, 0, sizeof *m);
	state_start(p, &s);
	table_add(&t, &s);
	for (uint32_t i = 0; i < t.n && t.n < most; i++) {
		uint8_t enabled = state_enabled(p, &t.list[i]);

		if (!enabled) {
			s = t.list[i];
			if (state_time(p, &s))
				table_add(&t, &s);
			else
				add_end(m, &t.list[i]);
		}
		for (unsigned k = 0; k < MOST_THREADS; k++) {
			if (!(enabled >> k & 1))
				continue;
			s = t.list[i];
			state_step(p, &s, k);
			table_add(&t, &s);
		}
	}
	m->nstates = t.n;
	m->too_big = t.n >= most;
	sort_ends(m);
	free(t.list);
	free(t.slots);
}

void model_free(struct model *m)
{
	free(m->ends);
	memset(m, 0, sizeof *m);
}
