/* SPDX-License-Identifier: MIT
 *
 * The outcome names the accesses that the thread makes in its loop, each with the calls that led to
 * it. The loop is in the innermost function that all of them are in or below; if the source has no
 * loop around their lines there, in a caller: `while (!try_lock(&l))` with one access in try_lock.
 *
 * The thread waits for what the loop reads and does not write: a lock that it takes and gives back
 * in each round to look at something is not what it waits for. A write that leaves the value as it
 * was, like the exchange of a lock that is taken, is a read. If a loop writes, and the loops of all threads
 * change all that it reads, it does not wait: it changes memory for ever, and that is what is named.
 */
#include "report/spin.h"

#include "base/text_table.h"
#include "repair/loops.h"
#include "report/event.h"

#include <stdlib.h>
#include <string.h>

struct own_loop {
	const struct run *run;
	const struct outcome *o;
	uint32_t thread;
};

static bool is_part(const struct own_loop *l, uint32_t waiter)
{
	const struct waiter *w = &l->o->waiters[waiter];

	return w->thread == l->thread && w->why == LP_WAIT_SPIN && w->site != NONE;
}

/* ---- whether it waits ---- */

/* Readers of a read-write lock change it. */
static bool changes(const struct site *site)
{
	int access = lp_access(site->kind, site->flags);

	return access == LP_WRITES || access == LP_SHARES;
}

static bool written_in_loop(const struct own_loop *l, uint32_t location)
{
	for (uint32_t i = 0; i < l->o->nwaiters; i++)
		if (is_part(l, i) && l->o->waiters[i].location == location &&
		    changes(&l->run->sites[l->o->waiters[i].site]))
			return true;
	return false;
}

static bool written_by_any(const struct own_loop *l, uint32_t location)
{
	struct own_loop other = *l;

	for (uint32_t i = 0; i < l->o->nwaiters; i++) {
		other.thread = l->o->waiters[i].thread;
		if (spin_begins(l->o, i) && written_in_loop(&other, location))
			return true;
	}
	return false;
}

/* Does it read what no loop changes, or only read? Where nothing is known of what it does, it is taken to wait. */
static bool waits(const struct own_loop *l)
{
	bool writes = false;

	for (uint32_t i = 0; i < l->o->nwaiters; i++) {
		uint32_t location = l->o->waiters[i].location;

		if (!is_part(l, i) || location == NONE)
			continue;
		if (!written_by_any(l, location))
			return true;
		writes |= written_in_loop(l, location);
	}
	return !writes;
}

bool spins_only_wait(const struct run *run, const struct outcome *o)
{
	for (uint32_t i = 0; i < o->nwaiters; i++)
		if (spin_begins(o, i) && !waits(&(const struct own_loop){ run, o, o->waiters[i].thread }))
			return false;
	return true;
}

bool spin_begins(const struct outcome *o, uint32_t waiter)
{
	const struct own_loop l = { NULL, o, o->waiters[waiter].thread };

	if (!is_part(&l, waiter))
		return false;
	while (waiter-- > 0)
		if (is_part(&l, waiter))
			return false;
	return true;
}

/* ---- the loop ---- */

static bool same_function(const struct source_frame *f, const struct source_frame *g)
{
	return f->file == g->file && f->function && g->function &&
	       !strcmp(f->function, g->function);
}

/* How many frames, of the n of the first site, are activations that the other site is in as well:
 * all calls before the last of them are the same, and that is the same function. */
static uint32_t common_frames(const struct source_frame *a, uint32_t n,
			      const struct source_frame *b, uint32_t nb)
{
	uint32_t common = 0;

	while (common < n && common < nb && same_function(&a[common], &b[common]) &&
	       (!common || a[common - 1].address == b[common - 1].address))
		common++;
	return common;
}

/* The lines of the source loop around the lines from `low` to `high` of a file. */
static bool source_loop(struct srcmap *m, const char *file, uint32_t low, uint32_t high,
			struct loop *found)
{
	const struct source_map source = srcmap_source(m);
	const char *text = file && low ? source.text(source.data, file) : NULL;
	struct loops loops = { 0 };
	const struct loop *around;

	if (!text)
		return false;
	loops_parse(&loops, text);
	around = loops_around(&loops, low, high);
	if (around)
		*found = *around;
	loops_free(&loops);
	return around != NULL;
}

/* The lines of frame `depth` in all accesses of the loop, and the first of these frames. */
static const struct source_frame *lines_at(const struct own_loop *l, struct srcmap *m,
					   uint32_t depth, uint32_t *low, uint32_t *high)
{
	const struct source_frame *best = NULL, *frames;

	*low = *high = 0;
	for (uint32_t i = 0; i < l->o->nwaiters; i++) {
		if (!is_part(l, i) || srcmap_frames(m, l->o->waiters[i].site, &frames) <= depth)
			continue;
		if (!best || frames[depth].line < *low) {
			best = &frames[depth];
			*low = best->line;
		}
		if (frames[depth].line > *high)
			*high = frames[depth].line;
	}
	return best;
}

static void find_loop(struct spin *s, const struct own_loop *l, struct srcmap *m, uint32_t waiter)
{
	const struct source_frame *first, *frames, *f;
	uint32_t n = srcmap_own_frames(m, l->o->waiters[waiter].site, &first), low, high;
	struct loop loop;

	for (uint32_t i = waiter + 1; i < l->o->nwaiters; i++) {
		uint32_t common, more;

		if (!is_part(l, i))
			continue;
		more = srcmap_own_frames(m, l->o->waiters[i].site, &frames);
		common = common_frames(first, n, frames, more);
		/* One whose calls are not known says nothing. */
		n = common ? common : n;
	}
	for (uint32_t depth = n; depth-- > 0;) {
		f = lines_at(l, m, depth, &low, &high);
		if (!s->frame) {
			s->frame = f;
			s->first = low;
			s->last = high;
		}
		if (!f || !source_loop(m, f->file, low, high, &loop))
			continue;
		s->frame = f;
		s->first = loop.first;
		s->last = loop.last;
		return;
	}
}

/* ---- since when ---- */

/* Is this event an access of the loop? Whether it changed something may differ. */
static bool in_loop(const struct own_loop *l, const struct event *ev)
{
	const struct site *a = &l->run->sites[ev->site];

	for (uint32_t i = 0; i < l->o->nwaiters; i++) {
		const struct site *b = is_part(l, i) ? &l->run->sites[l->o->waiters[i].site] : NULL;

		if (b && a->module == b->module && a->pc == b->pc && a->context == b->context)
			return true;
	}
	return false;
}

static uint32_t first_event(const struct own_loop *l, const struct trace *t)
{
	uint32_t first = NONE;

	for (uint32_t i = t->nevents; i-- > 0;) {
		const struct event *ev = &t->events[i];

		if (ev->thread != l->thread)
			continue;
		if (!in_loop(l, ev))
			break;
		first = i;
	}
	return first;
}

/* ---- for what ---- */

static bool overlap(const struct run *run, const struct event *ev, uint32_t location, uint32_t size)
{
	const struct location *l = &run->locations[location];

	return ev->location != NONE && ev->region == l->region &&
	       ev->offset < l->offset + (size ? size : 1) &&
	       l->offset < ev->offset + (ev->size ? ev->size : 1);
}

/* What the event leaves at its location, if it has a value. */
static bool value_of(const struct run *run, const struct event *ev, uint64_t *value)
{
	if (run->sites[ev->site].flags & LP_SITE_NOVALUE || ev->kind < LP_EV_READ ||
	    ev->kind > LP_EV_CAS_FAIL)
		return false;
	*value = ev->value[ev->kind == LP_EV_RMW];
	return true;
}

static void look_at_variable(struct spin_variable *v, const struct own_loop *l,
			     const struct trace *t)
{
	const struct location *at = &l->run->locations[v->location];

	v->written = NONE;
	for (uint32_t i = t->nevents; i-- > 0 && v->written == NONE;) {
		const struct event *ev = &t->events[i];
		bool exact = ev->location != NONE && ev->region == at->region &&
			     ev->offset == at->offset && ev->size == v->size;

		if (!v->known && exact && (ev->thread == l->thread || ev->access == LP_WRITES))
			v->known = value_of(l->run, ev, &v->value);
		if (changes(&l->run->sites[ev->site]) && overlap(l->run, ev, v->location, v->size))
			v->written = i;
	}
}

static void find_variables(struct spin *s, const struct own_loop *l, const struct trace *t,
			   bool written)
{
	for (uint32_t i = 0; i < l->o->nwaiters && s->nvariables < SPIN_VARIABLES; i++) {
		uint32_t location = l->o->waiters[i].location, k = 0;

		if (!is_part(l, i) || location == NONE || written_in_loop(l, location) != written)
			continue;
		while (k < s->nvariables && s->variables[k].location != location)
			k++;
		if (k < s->nvariables)
			continue;
		s->variables[k] = (struct spin_variable){
			.location = location,
			.size = l->run->sites[l->o->waiters[i].site].size,
		};
		look_at_variable(&s->variables[s->nvariables++], l, t);
	}
}

void spin_find(struct spin *s, struct srcmap *m, const struct run *run, const struct trace *t,
	       uint32_t waiter)
{
	const struct own_loop l = { run, &t->outcome, t->outcome.waiters[waiter].thread };

	*s = (struct spin){ .thread = l.thread };
	find_loop(s, &l, m, waiter);
	s->since = first_event(&l, t);
	s->waits = waits(&l);
	find_variables(s, &l, t, !s->waits);
}

/* ---- in words ---- */

/* "waiting for a change of ready or stop", "changing turn and owner" */
static char *what_text(struct srcmap *m, const struct trace *t, const struct spin *s)
{
	char *all = NULL;

	for (uint32_t i = 0; i < s->nvariables; i++) {
		const char *name = srcmap_location_in(m, t, s->variables[i].location);
		char *more = all        ? xasprintf("%s %s %s", all, s->waits ? "or" : "and", name)
			     : s->waits ? xasprintf("waiting for a change of %s", name)
					: xasprintf("changing %s", name);

		free(all);
		all = more;
	}
	return all ? all : xstrdup("waiting for another thread");
}

static char *lines_text(const struct spin *s)
{
	const char *function = s->frame ? s->frame->function : NULL;
	char *lines = s->first != s->last ? xasprintf("on lines %u-%u", s->first, s->last)
		      : s->first          ? xasprintf("on line %u", s->first)
					  : xstrdup("here");
	char *text = function ? xasprintf("%s %s %s", lines, s->first ? "of" : "in", function)
			      : xstrdup(lines);

	free(lines);
	return text;
}

char *spin_text(struct srcmap *m, const struct run *run, const struct trace *t, const struct spin *s)
{
	char *lines = lines_text(s), *what = what_text(m, t, s), *text;
	const char *thread = run->threads[s->thread].name, *how = s->waits ? "spins" : "goes round";

	text = s->since == NONE ? xasprintf("T%s %s %s, %s", thread, how, lines, what)
				: xasprintf("T%s %s %s since event %u, %s", thread, how, lines,
					    s->since + 1, what);
	free(lines);
	free(what);
	return text;
}

char *spin_variable_text(struct srcmap *m, const struct run *run, const struct trace *t,
			 const struct spin *s, const struct spin_variable *v)
{
	const char *name = srcmap_location_in(m, t, v->location);
	const struct event *ev = v->written == NONE ? NULL : &t->events[v->written];
	char value[32], *now, *what, *text;

	text_value(value, sizeof value, v->value, v->size);
	now = v->known ? xasprintf("%s = %s", name, value) : xstrdup(name);
	if (!ev) {
		text = xasprintf("%s: nobody changes it in this execution", now);
		free(now);
		return text;
	}
	what = event_short_text(m, run, t, v->written);
	text = xasprintf("%s: last changed by T%s%s at %s (event %u: %s)", now,
			 run->threads[ev->thread].name, ev->thread == s->thread ? " itself" : "",
			 srcmap_place(m, srcmap_own_frame(m, ev->site), false), v->written + 1,
			 what);
	free(what);
	free(now);
	return text;
}
