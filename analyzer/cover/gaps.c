/* SPDX-License-Identifier: MIT
 *
 * Between two neighbouring steps of an operation, could a step of another thread's operation come that
 * takes part in it: one that is after a step of this operation, and before another one?
 *
 * Such a step x is after all steps of this thread that its clock has, and before the first one whose
 * clock has x. Both grow along a thread, so for each gap a few steps are looked at.
 */
#include "cover/private.h"

#include <stdlib.h>
#include <string.h>

static bool same_function(const struct source_frame *a, const struct source_frame *b)
{
	return a->function && b->function && !strcmp(a->function, b->function) && a->file == b->file;
}

static void add_gap(struct coverage *c, const struct source_frame *f, uint32_t lo, uint32_t hi, bool separated)
{
	uint32_t key[3], n;
	bool added;

	if (!f->function || !srcmap_in_program(c->map, f))
		return;
	key[0] = coverage_function(&c->gap_functions, f);
	key[1] = lo < hi ? lo : hi;
	key[2] = lo < hi ? hi : lo;
	n = numbering_add(&c->spans, key, sizeof key, &added);
	if (added) {
		VEC_GROW(c->gap_list, n, c->gaps_capacity);
		c->gap_list[n] = (struct gap){ key[0], key[1], key[2], false };
	}
	c->gap_list[n].separated |= separated;
}

/* Functions that were left have ended, and others have begun: of what is in between there, only that it
 * was separated counts. */
static void add_ends(struct coverage *c, const struct source_frame *list, uint32_t n, bool left)
{
	for (uint32_t i = 0; i < n; i++)
		add_gap(c, &list[i], left ? list[i].line : 0, left ? UINT32_MAX : list[i].line, true);
}

static void note_gap(struct coverage *c, uint32_t from, uint32_t to, bool separated)
{
	const uint32_t key[3] = { from, to, separated };
	const struct source_frame *a, *b;
	uint32_t na, nb, d = 0;
	bool added;

	numbering_add(&c->gaps, key, sizeof key, &added);
	if (!added)
		return;
	na = srcmap_own_frames(c->map, from, &a);
	nb = srcmap_own_frames(c->map, to, &b);
	while (d + 1 < na && d + 1 < nb && same_function(&a[d], &b[d]) && a[d].address == b[d].address)
		d++;
	if (d < na && d < nb && same_function(&a[d], &b[d])) {
		add_gap(c, &a[d], a[d].line, b[d].line, separated);
		d++;
	}
	if (separated && d < na)
		add_ends(c, a + d, na - d, true);
	if (separated && d < nb)
		add_ends(c, b + d, nb - d, false);
}

/* The steps of operations, by thread. */
struct thread_steps {
	uint32_t *list;
	uint32_t n, capacity;
};

/* One operation: its steps are list[first .. last] of its thread. */
struct stretch {
	const struct thread_steps *own;
	uint32_t first, last;
};

/* The first step in the list for which the clock at [of] has come to `least`. */
static uint32_t first_after(const struct coverage *c, const struct thread_steps *s, uint32_t of, uint32_t least)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t middle = lo + (hi - lo) / 2;

		if (coverage_clock(c, s->list[middle], of) < least)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/* Marks the gaps of an operation that steps of thread u are in. */
static void separate(const struct coverage *c, const struct trace *t, const struct stretch *o,
		     const struct thread_steps *other, uint32_t u, bool *separated)
{
	const uint32_t *e = o->own->list;
	uint32_t thread = t->events[e[o->first]].thread;
	uint32_t x = first_after(c, other, thread, c->seqs[e[o->first]]);

	for (; x < other->n; x++) {
		uint32_t step = other->list[x], a, b;

		if (c->seqs[step] > coverage_clock(c, e[o->last], u))
			return; /* it and all that follow are not before any of this operation */
		b = first_after(c, o->own, u, c->seqs[step]);
		for (a = b; a > o->first && c->seqs[e[a - 1]] > coverage_clock(c, step, thread); a--)
			separated[a - 1 - o->first] = true;
		if (a > o->first)
			separated[a - 1 - o->first] = true;
	}
}

static void see_operation(struct coverage *c, const struct trace *t, const struct stretch *o,
			  const struct thread_steps *steps)
{
	const uint32_t *e = o->own->list;
	bool *separated = xcalloc(o->last - o->first + 1, sizeof *separated);

	for (uint32_t u = 0; u < c->order.nthreads; u++)
		if (u != t->events[e[o->first]].thread)
			separate(c, t, o, &steps[u], u, separated);
	for (uint32_t k = o->first; k < o->last; k++)
		note_gap(c, t->events[e[k]].site, t->events[e[k + 1]].site, separated[k - o->first]);
	free(separated);
}

void coverage_gaps(struct coverage *c, const struct trace *t)
{
	const uint32_t n = c->order.nthreads;
	struct thread_steps *steps = xcalloc(n, sizeof *steps);

	for (uint32_t i = 0; i < t->nevents; i++) {
		struct thread_steps *s = &steps[t->events[i].thread];

		if (c->order.instance[i] == NONE || !t->events[i].access || t->events[i].site == NONE)
			continue;
		VEC_GROW(s->list, s->n, s->capacity);
		s->list[s->n++] = i;
	}
	for (uint32_t u = 0; u < n; u++) {
		const struct thread_steps *s = &steps[u];

		for (uint32_t from = 0, to; from < s->n; from = to) {
			for (to = from + 1; to < s->n && c->order.instance[s->list[to]] ==
								 c->order.instance[s->list[from]];
			     to++)
				;
			see_operation(c, t, &(struct stretch){ s, from, to - 1 }, steps);
		}
	}
	for (uint32_t u = 0; u < n; u++)
		free(steps[u].list);
	free(steps);
}
