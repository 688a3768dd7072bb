/* SPDX-License-Identifier: MIT */
#include "judge/unlisted.h"

#include "repair/outside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 200 /* that are looked at: what a function accesses is seen early */
#define NAMED   3   /* places in the sentence */

static bool proposed(const struct run *run)
{
	for (uint32_t i = 0; i < run->nobjects; i++)
		if (run->objects[i].specification < run->nstrings &&
		    spec_guessed(run->strings[run->objects[i].specification]))
			return true;
	return false;
}

static bool known(const struct unlisted *u, uint32_t site)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (u->sites[i] == site)
			return true;
	return false;
}

static bool in_operation(void *data, const struct event *e)
{
	return e->op != NONE;
}

struct looking {
	struct unlisted *u;
	const struct run *run;
};

/* To allocate and to free is everybody's. */
static void add_site(void *data, const struct event *outside)
{
	const struct looking *l = data;
	struct unlisted *u = l->u;

	if (known(u, outside->site) || l->run->locations[outside->location].type == LP_LOC_FREED)
		return;
	VEC_GROW(u->sites, u->n, u->capacity);
	u->sites[u->n++] = outside->site;
}

void unlisted_see(struct unlisted *u, const struct run *run, const struct trace *t)
{
	struct looking l = { u, run };
	bool more = false;

	if (t->number > CLASSES || !proposed(run))
		return;
	for (uint32_t i = 0; i < t->nevents && !more; i++)
		more = outside_counts(&t->events[i]) && !in_operation(NULL, &t->events[i]) &&
		       !known(u, t->events[i].site);
	if (more)
		outside_of(t, in_operation, add_site, &l);
}

static bool same_function(const struct source_frame *a, const struct source_frame *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

static bool of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool names(const char *text, const char *function)
{
	size_t n = strlen(function);

	for (const char *at = strstr(text, function); at; at = strstr(at + 1, function))
		if ((at == text || !of_name(at[-1])) && !of_name(at[n]))
			return true;
	return false;
}

static bool wanted(struct srcmap *map, const struct source_frame *f, char *const *said, size_t nsaid)
{
	if (!f || !f->function || !srcmap_in_program(map, f))
		return false;
	for (size_t i = 0; i < nsaid; i++)
		if (names(said[i], f->function))
			return false;
	return true;
}

char *unlisted_limit(const struct unlisted *u, const struct run *run, struct srcmap *map, char *const *said,
		     size_t nsaid)
{
	const struct source_frame *named[NAMED];
	unsigned n = 0;
	char *places = NULL, *text;

	for (uint32_t i = 0; i < u->n && n < NAMED; i++) {
		const struct source_frame *f = srcmap_own_frame(map, u->sites[i]);
		bool again = !wanted(map, f, said, nsaid);
		char *longer;

		for (unsigned k = 0; k < n; k++)
			again |= !again && same_function(named[k], f);
		if (again)
			continue;
		named[n++] = f;
		longer = xasprintf("%s%s%s (%s)", places ? places : "", places ? ", " : "",
				   f->function, srcmap_place(map, f, false));
		free(places);
		places = longer;
	}
	if (!places)
		return NULL;
	text = xasprintf("what operations access is also accessed outside of them, in %s: what is done there "
			 "is not checked; if it is an operation, add it: linchpin init -w %s",
			 places, *run->argv ? *run->argv : run->program);
	free(places);
	return text;
}
