/* SPDX-License-Identifier: MIT
 *
 * The ways to make blocks atomic.
 */
#include "fix/atomic.h"
#include "fix/hold.h"
#include "fix/making.h"
#include "fix/mutex.h"

#include <stdlib.h>
#include <string.h>

static bool overlap(const struct range *a, const struct range *b)
{
	return a->function == b->function && a->first->start < b->last->end &&
	       b->first->start < a->last->end;
}

/* Side by side, with one statement between them at most. */
static bool near(const struct range *a, const struct range *b)
{
	if (a->function != b->function || a->first->parent != b->first->parent)
		return false;
	if (a->first->start > b->first->start)
		return near(b, a);
	return a->last->next == b->first || (a->last->next && a->last->next->next == b->first);
}

uint32_t ranges_unite(struct range *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = i + 1; k < n; k++) {
			if (!overlap(&list[i], &list[k]) && !near(&list[i], &list[k]))
				continue;
			range_unite(&list[i], &list[k]);
			list[k] = list[--n];
			i = UINT32_MAX; /* again from the first one */
			break;
		}
	}
	return n;
}

static void tell(struct making *m, const struct file *f, const struct range *r, const char *what)
{
	char *lines = r->to != r->from ? xasprintf("-%u", r->to) : xstrdup("");
	char *all = xasprintf("%s%s:%u%s (%s): %s\n", m->summary ? m->summary : "", f->name,
			      r->from, lines, r->function->name, what);

	free(lines);
	free(m->summary);
	m->summary = all;
}

/* The lock of this class in the function: its own, or as it would be called there. */
static bool lock_in(const struct file *f, const char *class, const struct range *r,
		    struct lock *lock, bool *own)
{
	*own = false;
	for (size_t i = 0; i < f->locks.n; i++) {
		const struct lock *l = &f->locks.list[i];

		if (strcmp(l->class, class) != 0 || l->function != r->function)
			continue;
		/* the one of a wrapper is that which a function calls */
		*lock = *l;
		*own = true;
		return true;
	}
	for (size_t i = 0; i < f->locks.n; i++)
		if (!strcmp(f->locks.list[i].class, class) &&
		    lock_translate(&f->locks, &f->locks.list[i], r, lock))
			return true;
	return false;
}

static bool held_already(const struct file *f, const struct lock *lock, const struct range *r)
{
	bool writes = range_writes(&f->locks, r);

	lock_flow(&f->locks, lock, r->function);
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n))
		if (n->before != HELD_YES && n->before != HELD_NEVER &&
		    (writes || n->before != HELD_SHARED))
			return false;
	return true;
}

static int hold_class(struct making *m, struct file *f, const char *class, const struct range *r,
		      bool other)
{
	struct lock lock;
	struct hold how;
	char *what;
	bool own;
	int result = 0;

	if (!lock_in(f, class, r, &lock, &own))
		return error_set(m->e, "%s:%u: %s is not known by a name here", f->name, r->from,
				 class);
	if (!held_already(f, &lock, r)) {
		result = hold_range(&f->locks, &lock, false, r, &f->edits, &how, m->e);
		if (result == 0) {
			what = how.widened ? xasprintf("the critical section of `%s(%s)` is longer",
						       how.shared ? lock.take_shared : lock.take,
						       lock.shown)
					   : xasprintf("`%s(%s)` around it",
						       how.shared ? lock.take_shared : lock.take,
						       lock.shown);
			tell(m, f, r, what);
			free(what);
		}
	} else if (!other) {
		result = error_set(m->e, "%s:%u: what `%s(%s)` takes is held there already",
				   f->name, r->from, lock.take, lock.shown);
	}
	if (!own)
		lock_clear(&lock);
	return result;
}

int try_class(struct making *m, const char *class, bool others)
{
	for (size_t i = 0; i < m->n; i++) {
		struct file *f = &m->files[i];

		for (uint32_t k = 0; k < f->nblocks; k++)
			if (hold_class(m, f, class, &f->blocks[k], false) < 0)
				return -1;
		if (others && f->others_lost)
			return error_set(m->e, "%s: lines that conflict are in other files",
					 f->name);
		for (uint32_t k = 0; others && k < f->nothers; k++)
			if (hold_class(m, f, class, &f->others[k], true) < 0)
				return -1;
	}
	return 0;
}

int try_atomic(struct making *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct file *f = &m->files[i];

		for (uint32_t k = 0; k < f->nblocks; k++) {
			char *name, *what;

			if (atomic_range(&f->u, &f->blocks[k], &f->edits, &name, m->e) < 0)
				return -1;
			what = xasprintf("`%s` is changed by one atomic operation", name);
			tell(m, f, &f->blocks[k], what);
			free(what);
			for (uint32_t o = 0; o < f->nothers; o++)
				for (uint32_t line = f->others[o].from; line <= f->others[o].to;
				     line++)
					if (atomic_line(&f->u, name, line, &f->edits, m->e) < 0) {
						free(name);
						return -1;
					}
			free(name);
		}
	}
	return 0;
}

static bool unite_op(struct file *f, struct range *r, const struct lock *lock, struct node *call)
{
	struct range s = { .function = r->function, .from = r->from, .to = r->to };
	struct node *n = call;

	if (lock_call(&f->locks, lock, call) == CALL_NONE || range_has(r, call))
		return true;
	while (!node_is_statement(n))
		n = n->parent;
	s.first = s.last = n;
	return range_unite(r, &s);
}

/* A new lock is always the outer one: whole critical sections of others. */
static struct range whole_sections(struct file *f, struct range r)
{
	for (size_t i = 0; i < f->locks.n; i++) {
		const struct lock *lock = &f->locks.list[i];
		bool inside = false;

		if (lock->function != r.function)
			continue;
		lock_flow(&f->locks, lock, r.function);
		inside = r.first->before == HELD_YES || r.first->before == HELD_SHARED;
		for (struct node *n = range_next(&r, NULL); n; n = range_next(&r, n))
			inside |= lock_call(&f->locks, lock, n) != CALL_NONE;
		for (struct node *n = r.function; inside && n; n = node_next(r.function, n))
			if (n->kind == NODE_CALL && !unite_op(f, &r, lock, n))
				return r;
	}
	return r;
}

int try_mutex(struct making *m)
{
	struct file *f = &m->files[0];
	struct range all[2 * MAX_RANGES];
	const struct node *first = NULL;
	struct lock lock;
	uint32_t n = 0;
	char *name, *what;
	int result = 0;

	if (m->n > 1 || f->others_lost)
		return error_set(m->e,
				 "the lines that need a common lock are in several files, and "
				 "they have none");
	for (uint32_t i = 0; i < f->nblocks; i++)
		all[n++] = whole_sections(f, f->blocks[i]);
	for (uint32_t i = 0; i < f->nothers; i++)
		all[n++] = whole_sections(f, f->others[i]);
	n = ranges_unite(all, n);
	name = mutex_name(&f->u, all[0].function);
	lock = (struct lock){ .take = (char *)"pthread_mutex_lock",
			      .release = (char *)"pthread_mutex_unlock",
			      .class = name };
	lock.text = lock.shown = xasprintf("&%s", name);
	for (uint32_t i = 0; i < n && result == 0; i++) {
		struct hold how;

		lock.function = all[i].function;
		result = hold_range(&f->locks, &lock, true, &all[i], &f->edits, &how, m->e);
		if (!first || all[i].function->start < first->start)
			first = all[i].function;
		what = xasprintf("a new mutex `%s` around it", name);
		tell(m, f, &all[i], what);
		free(what);
	}
	if (result == 0)
		mutex_static(&f->u, first, name, &f->edits);
	free(lock.text);
	free(name);
	return result;
}
