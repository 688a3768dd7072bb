/* SPDX-License-Identifier: MIT
 *
 * The ways to make blocks atomic.
 */
#include "fix/atomic.h"
#include "fix/hold.h"
#include "fix/making.h"
#include "fix/member.h"
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

void making_tell(struct making *m, const struct file *f, uint32_t from, uint32_t to, const char *what)
{
	const struct node *function = unit_function_at(&f->u, from);
	char *lines = to != from ? xasprintf("-%u", to) : xstrdup("");
	char *all = xasprintf("%s%s:%u%s (%s): %s\n", m->summary ? m->summary : "", f->name, from,
			      lines, function ? function->name : "?", what);

	free(lines);
	free(m->summary);
	m->summary = all;
}

static void tell(struct making *m, const struct file *f, const struct range *r, const char *what)
{
	making_tell(m, f, r->from, r->to, what);
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
	bool writes = range_writes(&f->locks, r, NULL);

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

/* A plain assignment, on one line, of what other threads use, too? */
static bool goes_along(const struct file *f, struct node *s)
{
	struct node *what = node_strip(s);

	if (!what || !node_assigns(&f->u, what) || s->line != s->last)
		return false;
	for (struct node *n = s; n; n = node_next(s, n))
		if (n->kind == NODE_CALL)
			return false;
	for (uint32_t i = 0; i < f->nchanged; i++)
		if (f->changed[i] == s->line)
			return true;
	return false;
}

/* The client does not need it, but who reads the patch would ask why the counter beside it is left out. */
static struct range with_neighbours(const struct file *f, struct range r)
{
	struct node *n;

	if (r.first->parent->kind != NODE_COMPOUND)
		return r;
	while (r.last->next && goes_along(f, r.last->next)) {
		r.last = r.last->next;
		r.to = r.last->last;
	}
	do {
		for (n = r.first->parent->child; n && n->next != r.first;)
			n = n->next;
		if (n && goes_along(f, n)) {
			r.first = n;
			r.from = n->line;
		}
	} while (r.first == n);
	return r;
}

/* Does the call lead to a function that has one of the ranges? */
static const struct range *leads_to(const struct file *f, const struct node *call,
				    const struct range *list, uint32_t n, unsigned depth)
{
	struct node *callee = unit_function(&f->u, call->name);
	const struct range *found = NULL;

	for (uint32_t i = 0; callee && i < n; i++)
		if (list[i].function == callee)
			return &list[i];
	for (struct node *c = callee; c && depth < 8 && !found; c = node_next(callee, c))
		if (c->kind == NODE_CALL)
			found = leads_to(f, c, list, n, depth + 1);
	return found;
}

/* A thread must not take the lock twice. */
static int check_nesting(struct making *m, const struct range *list, uint32_t n)
{
	const struct file *f = &m->files[0];

	for (uint32_t i = 0; i < n; i++)
		for (struct node *c = range_next(&list[i], NULL); c; c = range_next(&list[i], c)) {
			const struct range *r =
				c->kind == NODE_CALL ? leads_to(f, c, list, n, 0) : NULL;

			if (r)
				return error_set(
					m->e,
					"%s:%u: %s is called in the block, and has to hold "
					"the same lock at line %u",
					f->name, c->line, c->name, r->from);
		}
	return 0;
}

/* All that has to hold a new lock, in the one file with blocks; and statements beside it, if `neighbours`. */
static int whole_ranges(struct making *m, bool neighbours, struct range *all, uint32_t *n)
{
	struct file *f = &m->files[0];

	for (size_t i = 1; i < m->n; i++)
		if (m->files[i].nblocks)
			f = NULL;
	if (!f || f->others_lost)
		return error_set(m->e,
				 "the lines that need a common lock are in several files, and "
				 "they have none");
	*n = 0;
	for (uint32_t i = 0; i < f->nblocks; i++)
		all[(*n)++] = whole_sections(f, neighbours ? with_neighbours(f, f->blocks[i])
							   : f->blocks[i]);
	for (uint32_t i = 0; i < f->nothers; i++)
		all[(*n)++] = whole_sections(f, f->others[i]);
	*n = ranges_unite(all, *n);
	return check_nesting(m, all, *n);
}

/* A range holds a new lock: of this class, `shown` in calls, and `argument` if it is of an object. */
static int hold_new(struct making *m, const struct range *r, const char *class, const char *shown,
		    const struct node *argument)
{
	struct file *f = &m->files[0];
	struct lock lock = {
		.take = (char *)(f->u.cplusplus ? "lock_guard" : "pthread_mutex_lock"),
		.release = (char *)(f->u.cplusplus ? "" : "pthread_mutex_unlock"),
		.class = (char *)class,
		.text = (char *)shown,
		.shown = (char *)shown,
		.argument = (struct node *)argument,
		.function = r->function,
	};
	struct hold how;
	char *what;

	if (hold_range(&f->locks, &lock, true, r, &f->edits, &how, m->e) < 0)
		return -1;
	what = xasprintf("a new mutex `%s` around it", class);
	tell(m, f, r, what);
	free(what);
	return 0;
}

int try_mutex(struct making *m)
{
	struct file *f = &m->files[0];
	struct range all[2 * MAX_RANGES];
	const struct node *first = NULL;
	uint32_t n = 0;
	char *name, *shown;
	int result = whole_ranges(m, true, all, &n);

	if (result < 0)
		return -1;
	name = mutex_name(&f->u, all[0].function);
	shown = xasprintf("%s%s", f->u.cplusplus ? "" : "&", name);
	for (uint32_t i = 0; i < n && result == 0; i++) {
		result = hold_new(m, &all[i], name, shown, NULL);
		if (!first || all[i].function->start < first->start)
			first = all[i].function;
	}
	if (result == 0)
		mutex_static(&f->u, first, name, &f->edits);
	free(shown);
	free(name);
	return result;
}

/* The file of this path, as one that is changed, too; NULL and *e. */
static struct file *header(struct making *m, const char *path)
{
	const char *root = m->request->run->cwd;
	size_t length = strlen(root);
	struct file *f;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->files[i].path, path))
			return &m->files[i];
	f = &m->files[m->n++];
	*f = (struct file){ .path = xstrdup(path) };
	f->name = f->path;
	if (*m->files[0].name != '/' && !strncmp(path, root, length) && path[length] == '/')
		f->name += length + 1;
	while (!strncmp(f->name, "./", 2))
		f->name += 2;
	f->u.text = read_file(path, &f->u.size, m->e);
	return f->u.text ? f : NULL;
}

static int hold_member(struct making *m, const struct range *all, uint32_t n, struct member *member)
{
	bool cplusplus = m->files[0].u.cplusplus;
	struct file *f = header(m, member->record->file);

	if (!f)
		return -1;
	mutex_include(&f->u, cplusplus, &f->edits);
	member_declare(&f->u, member, cplusplus, &f->edits);
	if (!cplusplus && !member_initialize(&m->files[0].u, member, &m->files[0].edits))
		return error_set(m->e,
				 "%s: no %s is made in this file, so a lock in it could not "
				 "be initialized",
				 m->files[0].name, member->record->type);
	for (uint32_t i = 0; i < n; i++) {
		char *shown = member_shown(&m->files[0].u, member, i);
		int result = hold_new(m, &all[i], member->class, shown, member->objects[i]);

		free(shown);
		if (result < 0)
			return -1;
	}
	return 0;
}

int try_member(struct making *m)
{
	struct member member = { .source = m->files[0].path, .root = m->request->run->cwd };
	struct range all[2 * MAX_RANGES];
	uint32_t n = 0;
	int result;

	if (whole_ranges(m, true, all, &n) < 0)
		return -1;
	if (!member_choose(&m->files[0].locks, all, n, &member) &&
	    (whole_ranges(m, false, all, &n) < 0 ||
	     !member_choose(&m->files[0].locks, all, n, &member)))
		return error_set(m->e, "%s: the blocks have no object in common", m->files[0].name);
	result = hold_member(m, all, n, &member);
	member_free(&member);
	return result;
}
