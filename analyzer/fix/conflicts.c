/* SPDX-License-Identifier: MIT */
#include "fix/conflicts.h"

#include <stdlib.h>
#include <string.h>

/* An access to memory, as far as it matters here. */
struct seen {
	const struct event *event;
	uint32_t at; /* the number of the event in its thread */
	bool inside;
	const uint32_t
		*clock; /* of its thread then: what is before it because of creates and joins */
};

struct scan {
	struct srcmap *map;
	const struct block *blocks;
	uint32_t nblocks;
	struct conflicts *result;
	uint8_t *sites; /* 0: not looked at, 1: outside, 2: inside */
	uint32_t nsites;
	struct seen *list;
	uint32_t n, capacity;
};

static bool accesses(const struct event *ev)
{
	return ev->access && ev->region != NONE &&
	       (ev->kind <= LP_EV_CAS_FAIL || ev->kind == LP_EV_FREE);
}

static bool frame_inside(const struct scan *s, const struct source_frame *f)
{
	for (uint32_t i = 0; i < s->nblocks; i++) {
		const struct block *b = &s->blocks[i];

		if (f->file && f->function && !strcmp(f->file, b->file) &&
		    (!b->function || !strcmp(f->function, b->function)) && f->line >= b->first &&
		    f->line <= b->last)
			return true;
	}
	return false;
}

static bool site_inside(struct scan *s, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n;

	if (site >= s->nsites) {
		uint32_t more = site * 2 + 64;

		s->sites = xrealloc(s->sites, more);
		memset(s->sites + s->nsites, 0, more - s->nsites);
		s->nsites = more;
	}
	if (s->sites[site])
		return s->sites[site] == 2;
	n = srcmap_frames(s->map, site, &frames);
	s->sites[site] = 1;
	for (uint32_t i = 0; i < n; i++)
		if (frame_inside(s, &frames[i]))
			s->sites[site] = 2;
	return s->sites[site] == 2;
}

static void add_line(struct scan *s, uint32_t site)
{
	const struct source_frame *f = srcmap_own_frame(s->map, site);
	struct conflicts *c = s->result;

	if (!f || !f->file || !f->function || !f->line)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->lines[i].first == f->line && !strcmp(c->lines[i].file, f->file))
			return;
	VEC_GROW(c->lines, c->n, c->capacity);
	c->lines[c->n++] = (struct block){ f->file, f->function, f->line, f->line };
}

/* Earlier and later in the trace; do only creates and joins put them in order? */
static bool ordered(const struct seen *a, const struct seen *b)
{
	return b->clock[a->event->thread] >= a->at;
}

static void compare(struct scan *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		for (uint32_t k = i + 1; k < s->n; k++) {
			const struct seen *a = &s->list[i], *b = &s->list[k];

			if (a->inside != b->inside && events_conflict(a->event, b->event) &&
			    !ordered(a, b))
				add_line(s, (a->inside ? b : a)->event->site);
		}
	}
}

/* A loop that accesses the same again adds nothing, but for how late it is. */
static void add_access(struct scan *s, struct seen a)
{
	for (uint32_t i = s->n; i-- > 0 && s->n - i < 200;) {
		struct seen *b = &s->list[i];

		if (b->event->thread == a.event->thread && b->event->site == a.event->site &&
		    b->event->region == a.event->region && b->event->offset == a.event->offset &&
		    b->event->access == a.event->access && b->clock == a.clock) {
			b->at = a.at;
			return;
		}
	}
	VEC_GROW(s->list, s->n, s->capacity);
	s->list[s->n++] = a;
}

static void scan_trace(struct scan *s, const struct trace *t)
{
	uint32_t *at = xcalloc(t->nthreads, sizeof *at), **clocks, **all = NULL;
	uint32_t nall = 0, capacity = 0;

	clocks = xcalloc(t->nthreads, sizeof *clocks);
	for (uint32_t i = 0; i < t->nthreads; i++) {
		VEC_GROW(all, nall, capacity);
		clocks[i] = all[nall++] = xcalloc(t->nthreads, sizeof **clocks);
	}
	s->n = 0;
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];
		uint32_t thread = ev->thread, other = ev->other;

		at[thread]++;
		if (accesses(ev))
			add_access(s, (struct seen){ ev, at[thread], site_inside(s, ev->site),
						     clocks[thread] });
		if ((ev->kind != LP_EV_CREATE && ev->kind != LP_EV_JOIN) || other >= t->nthreads)
			continue;
		if (ev->kind == LP_EV_CREATE) {
			memcpy(clocks[other], clocks[thread], t->nthreads * sizeof **clocks);
			clocks[other][thread] = at[thread];
			continue;
		}
		VEC_GROW(all, nall, capacity);
		all[nall] = xcalloc(t->nthreads, sizeof **clocks);
		for (uint32_t k = 0; k < t->nthreads; k++)
			all[nall][k] = clocks[thread][k] > clocks[other][k] ? clocks[thread][k]
									    : clocks[other][k];
		all[nall][other] = at[other];
		clocks[thread] = all[nall++];
	}
	compare(s);
	for (uint32_t i = 0; i < nall; i++)
		free(all[i]);
	free(all);
	free(clocks);
	free(at);
}

int conflicts_find(struct run *run, struct srcmap *map, const struct block *blocks,
		   uint32_t nblocks, struct conflicts *c, struct error *e)
{
	struct scan s = { .map = map, .blocks = blocks, .nblocks = nblocks, .result = c };
	struct trace t = { 0 };
	int more = 0;

	*c = (struct conflicts){ 0 };
	run_rewind(run);
	for (unsigned i = 0; i < CONFLICTS_CLASSES && (more = run_next(run, &t, e)) == 1; i++)
		scan_trace(&s, &t);
	trace_free(&t);
	free(s.list);
	free(s.sites);
	return more < 0 ? -1 : 0;
}

void conflicts_free(struct conflicts *c)
{
	free(c->lines);
	*c = (struct conflicts){ 0 };
}
