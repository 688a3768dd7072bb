/* SPDX-License-Identifier: MIT
 *
 * What the expression reads is looked for twice. In the source: is it changed anywhere in this file
 * while a lock like the first one is held? And in the executions, for changes in other files and through
 * pointers: does another thread that holds the first lock write what was read on the line of the second
 * call?
 */
#include "fix/chosen.h"

#include "fix/address.h"

#include <stdlib.h>
#include <string.h>

struct choice {
	struct making *m;
	const struct file *f;
	const struct node *first, *second;
	const char *class;       /* of the first lock */
	const struct node *read; /* what is read, and may change */
};

static bool is_guarded(const struct node *n, void *data)
{
	struct choice *c = data;
	bool named = (n->kind == NODE_MEMBER || n->kind == NODE_REFERENCE) && n->name;

	if (named && !lock_guards(&c->f->locks, c->class, n->name))
		return false;
	c->read = n;
	return true;
}

static const char *class_of_call(const struct file *f, const struct node *call)
{
	for (size_t i = 0; i < f->locks.n; i++)
		if (node_inside(call, f->locks.list[i].function) &&
		    lock_call(&f->locks, &f->locks.list[i], call) != CALL_NONE)
			return f->locks.list[i].class;
	return "?";
}

/* ---- executions ---- */

static bool is_at(const struct choice *c, const struct event *e, const struct node *n)
{
	const struct source_frame *at = srcmap_own_frame(c->m->request->map, e->site);

	return at && at->file && at->line == n->line && !strcmp(at->file, c->f->name);
}

static bool is_lock(const struct event *e)
{
	return e->kind == LP_EV_LOCK || e->kind == LP_EV_RDLOCK;
}

/* The event at which its thread has taken the first lock, of the second at `second`; NONE. */
static uint32_t first_taken(const struct choice *c, const struct trace *t, uint32_t second)
{
	for (uint32_t i = second; i-- > 0;)
		if (t->events[i].thread == t->events[second].thread && is_lock(&t->events[i]) &&
		    is_at(c, &t->events[i], c->first))
			return i;
	return NONE;
}

/* Does another thread write it while it holds the lock? */
static bool written_under(const struct trace *t, const struct event *read, uint32_t lock)
{
	uint32_t holder = NONE;

	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		if (e->location == lock && is_lock(e))
			holder = e->thread;
		else if (e->location == lock && (e->kind == LP_EV_UNLOCK || e->kind == LP_EV_RDUNLOCK))
			holder = NONE;
		else if (e->thread == holder && events_conflict(e, read))
			return true;
	}
	return false;
}

static bool changes_in(const struct choice *c, const struct trace *t)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t first;

		if (!is_lock(e) || !is_at(c, e, c->second))
			continue;
		first = first_taken(c, t, i);
		for (uint32_t k = first; first != NONE && k < i; k++)
			if (t->events[k].thread == e->thread && t->events[k].access == LP_READS &&
			    is_at(c, &t->events[k], c->second) &&
			    written_under(t, &t->events[k], t->events[first].location))
				return true;
	}
	return false;
}

static int changes_somewhere(const struct choice *c, bool *changes)
{
	struct run *run = c->m->request->run;
	struct trace t = { 0 };
	int more = 0;

	*changes = false;
	run_rewind(run);
	for (unsigned i = 0; i < MOST_CLASSES && !*changes; i++) {
		more = run_next(run, &t, c->m->e);
		if (more != 1)
			break;
		*changes = changes_in(c, &t);
	}
	trace_free(&t);
	return more < 0 ? -1 : 0;
}

static int too_late(const struct choice *c, const char *what)
{
	return error_set(c->m->e,
			 "%s:%u: which lock is the second is known only when the first is taken: "
			 "%s may change until then",
			 c->f->name, c->second->line, what);
}

int chosen_early(struct making *m, const struct file *f, const struct node *first,
		 const struct node *second)
{
	struct choice c = { m, f, first, second, class_of_call(f, first), NULL };
	bool changes;

	if (address_reads(&f->u, lock_argument(second), is_guarded, &c)) {
		char *text = node_text(&f->u, c.read), *what = xasprintf("`%s`", text);

		free(text);
		too_late(&c, what);
		free(what);
		return -1;
	}
	if (changes_somewhere(&c, &changes) < 0)
		return -1;
	return changes ? too_late(&c, "what names it") : 0;
}
