/* SPDX-License-Identifier: MIT */
#include "race/sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What a site says without its location. */
enum site_sort {
	SITE_UNKNOWN,
	SITE_NO_ACCESS,
	SITE_ATOMIC,
	SITE_PLAIN,
	SITE_VOLATILE,
	SITE_MACHINE, /* the variable decides */
	SITE_BUILTIN, /* the line looks as if a builtin function made it */
};

struct sorter {
	const struct run *run;
	struct srcmap *map;
	unsigned options;
	uint8_t *sites;     /* enum site_sort, by id */
	uint8_t *variables; /* 1 + enum variable_sort, by location */
	uint32_t nsites, nvariables;
	struct numbering words; /* region, offset; of all traces */
	uint8_t *signs;         /* by their numbers: LOCKED, ONCE */
	size_t signs_capacity;
};

struct sorter *sorter_new(const struct run *run, struct srcmap *map, unsigned options)
{
	struct sorter *s = xcalloc(1, sizeof *s);

	*s = (struct sorter){ .run = run, .map = map, .options = options };
	return s;
}

void sorter_free(struct sorter *s)
{
	free(s->sites);
	free(s->variables);
	free(s->signs);
	numbering_free(&s->words);
	free(s);
}

/* Words of which one is in a line that makes an atomic access with a builtin function or a macro. */
static bool looks_atomic(const char *line)
{
	static const char *const words[] = { "atomic", "__sync", "_once", "ck_pr", "rcu", "acquire",
					     "release", "barrier", "fence", "asm" };
	char *low = xstrdup(line);
	bool found = false;

	for (char *p = low; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		found |= strstr(low, words[i]) != NULL;
	free(low);
	return found;
}

static enum site_sort sort_of_site(struct sorter *s, uint32_t number)
{
	const struct site *site = &s->run->sites[number];
	const struct source_frame *frames;
	uint32_t own, all;

	if (site->kind < LP_EV_READ || site->kind > LP_EV_CAS_FAIL || site->flags & LP_SITE_FUTEX)
		return SITE_NO_ACCESS;
	if (site->flags & LP_SITE_ATOMIC)
		return SITE_ATOMIC;
	if (srcmap_by_hook(s->map, number))
		return site->flags & LP_SITE_VOLATILE ? SITE_VOLATILE : SITE_PLAIN;
	if (site->size > 8 || site->flags & LP_SITE_NOVALUE)
		return SITE_PLAIN;
	own = srcmap_own_frames(s->map, number, &frames);
	all = srcmap_frames(s->map, number, &frames);
	/* The program's line, and what was inlined into it from headers: std::atomic<T>::load. */
	for (uint32_t i = own ? own - 1 : 0; i < all; i++) {
		const struct source_frame *f = &frames[i];
		const char *line = f->line ? srcmap_line_text(s->map, f->file, f->line) : NULL;

		if ((line && looks_atomic(line)) ||
		    (i >= own && f->function && looks_atomic(f->function)))
			return SITE_BUILTIN;
	}
	return SITE_MACHINE;
}

static enum variable_sort variable_of(struct sorter *s, uint32_t location)
{
	if (location >= s->nvariables) {
		uint32_t n = s->run->nlocations;

		s->variables = xrealloc(s->variables, n);
		memset(s->variables + s->nvariables, 0, n - s->nvariables);
		s->nvariables = n;
	}
	if (!s->variables[location])
		s->variables[location] = (uint8_t)(1 + srcmap_variable_sort(s->map, location));
	return (enum variable_sort)(s->variables[location] - 1);
}

static enum site_sort site_of(struct sorter *s, uint32_t site)
{
	if (site >= s->nsites) {
		uint32_t n = s->run->nsites;

		s->sites = xrealloc(s->sites, n);
		memset(s->sites + s->nsites, 0, n - s->nsites);
		s->nsites = n;
	}
	if (!s->sites[site])
		s->sites[site] = (uint8_t)sort_of_site(s, site);
	return (enum site_sort)s->sites[site];
}

#define LOCKED 1 /* a locked instruction was seen there */
#define ONCE   2 /* it is an object of pthread_once; that the routine is done is seen by a read */

static uint8_t *signs(struct sorter *s, const struct event *e)
{
	uint64_t key[] = { e->region, e->offset };
	bool added;
	uint32_t n = numbering_add(&s->words, key, sizeof key, &added);

	if (added) {
		VEC_GROW(s->signs, n, s->signs_capacity);
		s->signs[n] = 0;
	}
	return &s->signs[n];
}

static enum access_sort sort_of(struct sorter *s, const struct event *e)
{
	enum access_sort volatiles = s->options & RACES_NO_VOLATILE ? ACCESS_ORDERED : ACCESS_PLAIN;

	if (site_of(s, e->site) > SITE_NO_ACCESS && *signs(s, e) & ONCE)
		return ACCESS_ORDERED;
	switch (site_of(s, e->site)) {
	case SITE_ATOMIC:
		return ACCESS_ATOMIC;
	case SITE_PLAIN:
		return ACCESS_PLAIN;
	case SITE_VOLATILE:
		return volatiles;
	case SITE_BUILTIN:
		return variable_of(s, e->location) == VARIABLE_ATOMIC ? ACCESS_ORDERED : ACCESS_MAYBE;
	case SITE_MACHINE:
		break;
	default:
		return ACCESS_NONE;
	}
	switch (variable_of(s, e->location)) {
	case VARIABLE_ATOMIC:
		return ACCESS_ORDERED;
	case VARIABLE_VOLATILE:
		return volatiles;
	case VARIABLE_PLAIN:
		if (*signs(s, e) & LOCKED)
			return ACCESS_MAYBE;
		return e->kind == LP_EV_READ ? ACCESS_EARLY : ACCESS_PLAIN;
	default:
		return ACCESS_MAYBE;
	}
}

void sorter_read(struct sorter *s, const struct trace *t, uint8_t *sorts)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		if (e->location != NONE && e->kind == LP_EV_ONCE)
			*signs(s, e) |= ONCE;
		else if (e->location != NONE && site_of(s, e->site) == SITE_ATOMIC)
			*signs(s, e) |= LOCKED;
	}
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		sorts[i] = e->site == NONE || e->location == NONE || trace_gives_again(t, i) ? ACCESS_NONE
											     : (uint8_t)sort_of(s, e);
	}
}
