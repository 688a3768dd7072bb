/* SPDX-License-Identifier: MIT */
#include "fix/patch.h"

#include "fix/atomic.h"
#include "fix/clang.h"
#include "fix/diff.h"
#include "fix/hold.h"
#include "fix/mutex.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RANGES 64

struct file {
	const char *name;
	char *path;
	struct unit u;
	struct locks locks;
	struct edits edits;
	struct range blocks[MAX_RANGES]; /* of the repair */
	uint32_t nblocks;
	struct range others[MAX_RANGES]; /* of lines that conflict */
	uint32_t nothers;
	bool others_lost; /* one of these lines has no statement that could hold a lock */
};

struct making {
	const struct patch_request *request;
	struct file *files;
	size_t n;
	char *summary; /* lines */
	struct error *e;
	/* why the first way of each kind is none: that is what is said in the end */
	struct error why;
};

static struct file *file_of(struct making *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->files[i].name, name))
			return &m->files[i];
	return NULL;
}

static int parse(struct making *m, struct file *f)
{
	struct flags found = { 0 };
	const struct flags *flags = m->request->flags;
	int result;

	f->path = *f->name == '/' ? xstrdup(f->name) : xasprintf("%s/%s", m->request->cwd, f->name);
	if (!flags || !flags->n)
		flags_find(f->path, &found);
	if (found.from || !flags)
		flags = &found;
	result = unit_parse(f->path, (const char *const *)flags->list, flags->n, &f->u, m->e);
	free(f->u.path);
	f->u.path = xstrdup(f->name); /* for messages */
	flags_free(&found);
	if (result == 0)
		locks_find(&f->u, &f->locks);
	return result;
}

static int open_files(struct making *m)
{
	for (uint32_t i = 0; i < m->request->nblocks; i++) {
		const char *name = m->request->blocks[i].file;

		if (!name)
			return error_set(m->e, "the block is in code without line numbers");
		if (file_of(m, name))
			continue;
		m->files = xreallocarray(m->files, m->n + 1, sizeof *m->files);
		m->files[m->n] = (struct file){ .name = name };
		if (parse(m, &m->files[m->n++]) < 0)
			return -1;
	}
	return 0;
}

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

static void unite_others(struct file *f)
{
	for (uint32_t i = 0; i < f->nothers; i++) {
		for (uint32_t k = i + 1; k < f->nothers; k++) {
			if (!overlap(&f->others[i], &f->others[k]) && !near(&f->others[i], &f->others[k]))
				continue;
			range_unite(&f->others[i], &f->others[k]);
			f->others[k] = f->others[--f->nothers];
			i = UINT32_MAX; /* again from the first one */
			break;
		}
	}
}

static bool in_blocks(const struct file *f, const struct range *r)
{
	for (uint32_t i = 0; i < f->nblocks; i++)
		if (f->blocks[i].function == r->function &&
		    f->blocks[i].first->start <= r->first->start &&
		    r->last->end <= f->blocks[i].last->end)
			return true;
	return false;
}

static int find_ranges(struct making *m)
{
	const struct patch_request *q = m->request;

	for (uint32_t i = 0; i < q->nblocks; i++) {
		struct file *f = file_of(m, q->blocks[i].file);

		if (f->nblocks == MAX_RANGES)
			return error_set(m->e, "the repair has too many blocks");
		if (range_find(&f->u, q->blocks[i].function, q->blocks[i].first, q->blocks[i].last,
			       &f->blocks[f->nblocks], m->e) < 0)
			return -1;
		f->nblocks++;
	}
	for (uint32_t i = 0; q->conflicts && i < q->conflicts->n; i++) {
		const struct block *b = &q->conflicts->lines[i];
		struct file *f = file_of(m, b->file);
		struct range r;

		if (!f || f->nothers == MAX_RANGES ||
		    range_find(&f->u, b->function, b->first, b->last, &r, NULL) < 0) {
			if (f)
				f->others_lost = true;
			else
				for (size_t k = 0; k < m->n; k++)
					m->files[k].others_lost = true;
			continue;
		}
		if (!in_blocks(f, &r))
			f->others[f->nothers++] = r;
	}
	for (size_t i = 0; i < m->n; i++)
		unite_others(&m->files[i]);
	return 0;
}

static void tell(struct making *m, const struct file *f, const struct range *r, const char *what)
{
	char *lines = r->to != r->from ? xasprintf("-%u", r->to) : xstrdup("");
	char *all = xasprintf("%s%s:%u%s (%s): %s\n", m->summary ? m->summary : "", f->name, r->from,
			      lines, r->function->name, what);

	free(lines);
	free(m->summary);
	m->summary = all;
}

/* The lock of this class in the function: its own, or as it would be called there. */
static bool lock_in(const struct file *f, const char *class, const struct range *r, struct lock *lock,
		    bool *own)
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
		return error_set(m->e, "%s:%u: %s is not known by a name here", f->name, r->from, class);
	if (!held_already(f, &lock, r)) {
		result = hold_range(&f->locks, &lock, false, r, &f->edits, &how, m->e);
		if (result == 0) {
			what = how.widened
				       ? xasprintf("the critical section of `%s(%s)` is longer",
						   how.shared ? lock.take_shared : lock.take, lock.shown)
				       : xasprintf("`%s(%s)` around it",
						   how.shared ? lock.take_shared : lock.take, lock.shown);
			tell(m, f, r, what);
			free(what);
		}
	} else if (!other) {
		result = error_set(m->e, "%s:%u: what `%s(%s)` takes is held there already", f->name,
				   r->from, lock.take, lock.shown);
	}
	if (!own)
		lock_clear(&lock);
	return result;
}

/* All blocks hold a lock of the class; the lines that conflict too, if `others`. */
static int try_class(struct making *m, const char *class, bool others)
{
	for (size_t i = 0; i < m->n; i++) {
		struct file *f = &m->files[i];

		for (uint32_t k = 0; k < f->nblocks; k++)
			if (hold_class(m, f, class, &f->blocks[k], false) < 0)
				return -1;
		if (others && f->others_lost)
			return error_set(m->e, "%s: lines that conflict are in other files", f->name);
		for (uint32_t k = 0; others && k < f->nothers; k++)
			if (hold_class(m, f, class, &f->others[k], true) < 0)
				return -1;
	}
	return 0;
}

static int try_atomic(struct making *m)
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
				for (uint32_t line = f->others[o].from; line <= f->others[o].to; line++)
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

static int try_mutex(struct making *m)
{
	struct file *f = &m->files[0];
	struct range all[2 * MAX_RANGES];
	const struct node *first = NULL;
	struct lock lock;
	uint32_t n = 0, nblocks;
	char *name, *what;
	int result = 0;

	if (m->n > 1 || f->others_lost)
		return error_set(m->e, "the lines that need a common lock are in several files, and "
				       "they have none");
	for (uint32_t i = 0; i < f->nblocks; i++)
		all[n++] = whole_sections(f, f->blocks[i]);
	nblocks = n;
	for (uint32_t i = 0; i < f->nothers; i++)
		all[n++] = whole_sections(f, f->others[i]);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = i + 1; k < n; k++) {
			if (!overlap(&all[i], &all[k]) && !near(&all[i], &all[k]))
				continue;
			range_unite(&all[i], &all[k]);
			all[k] = all[--n];
			if (nblocks > n)
				nblocks = n;
			i = UINT32_MAX;
			break;
		}
	}
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

struct wanted {
	const struct file *f;
	const struct lock *lock;
	const struct range *r;
};

static bool is_protected(const char *name, void *data)
{
	const struct wanted *w = data;

	return strcmp(name, w->lock->class) != 0 && lock_protects(&w->f->locks, w->lock, w->r, name);
}

/* Classes of locks worth trying, those of the block's own function first. */
static size_t classes(struct making *m, const char **list, size_t most, size_t *nown)
{
	struct file *f = &m->files[0];
	size_t n = 0;

	*nown = 0;
	for (unsigned own = 1; own != UINT32_MAX; own--) {
		for (size_t i = 0; i < f->locks.n && n < most; i++) {
			const struct lock *lock = &f->locks.list[i];
			struct wanted w = { f, lock, &f->blocks[0] };
			bool known = false, here = false;

			for (size_t k = 0; k < n; k++)
				known |= !strcmp(list[k], lock->class);
			if (known)
				continue;
			if (own && lock->function == f->blocks[0].function) {
				lock_flow(&f->locks, lock, f->blocks[0].function);
				here = f->blocks[0].first->before != HELD_NO;
				for (struct node *c = range_next(&f->blocks[0], NULL); c;
				     c = range_next(&f->blocks[0], c))
					here |= lock_call(&f->locks, lock, c) != CALL_NONE;
			}
			if (!own && !here)
				here = range_uses(&f->locks, &f->blocks[0], is_protected, &w);
			if (here)
				list[n++] = lock->class;
		}
		if (own)
			*nown = n;
	}
	return n;
}

static void forget(struct making *m)
{
	for (size_t i = 0; i < m->n; i++)
		edits_clear(&m->files[i].edits);
	free(m->summary);
	m->summary = NULL;
}

static bool finish(struct making *m, struct patch *p)
{
	p->files = xcalloc(m->n, sizeof *p->files);
	for (size_t i = 0; i < m->n; i++) {
		struct file *f = &m->files[i];

		p->files[p->n++] = (struct patch_file){
			.name = xstrdup(f->name),
			.path = xstrdup(f->path),
			.before = xstrdup(f->u.text),
			.after = edits_apply(&f->edits, f->u.text, f->u.size),
		};
		if (!p->files[p->n - 1].after) {
			error_set(m->e, "%s: the blocks are too close to each other", f->name);
			patch_free(p);
			return false;
		}
	}
	p->summary = m->summary;
	m->summary = NULL;
	return true;
}

/* Ends with the patch that is wanted: `left` are still to be passed over. */
static bool done(struct making *m, int result, unsigned *left, struct patch *p)
{
	if (result == 0 && finish(m, p)) {
		if (!*left)
			return true;
		--*left;
		patch_free(p);
	} else if (!m->why.message[0]) {
		m->why = *m->e;
	}
	forget(m);
	return false;
}

static int choose(struct making *m, unsigned number, struct patch *p)
{
	const char *list[16];
	size_t nown, n = classes(m, list, sizeof list / sizeof *list, &nown);
	bool others = false;
	unsigned left = number;

	for (size_t i = 0; i < m->n; i++)
		others |= m->files[i].nothers || m->files[i].others_lost;
	for (size_t i = 0; i < nown; i++) {
		if (others && done(m, try_class(m, list[i], true), &left, p))
			return 1;
		if (done(m, try_class(m, list[i], false), &left, p))
			return 1;
	}
	for (size_t i = nown; i < n; i++)
		if (done(m, try_class(m, list[i], true), &left, p))
			return 1;
	if (done(m, try_atomic(m), &left, p) || done(m, try_mutex(m), &left, p))
		return 1;
	if (m->e)
		*m->e = m->why;
	return 0;
}

int patch_make(const struct patch_request *request, unsigned number, struct patch *p,
	       struct error *e)
{
	struct error own;
	struct making m = { .request = request, .e = e ? e : &own };
	int result;

	*p = (struct patch){ .number = number };
	result = open_files(&m) < 0 || find_ranges(&m) < 0 ? -1 : choose(&m, number, p);
	for (size_t i = 0; i < m.n; i++) {
		edits_clear(&m.files[i].edits);
		locks_free(&m.files[i].locks);
		unit_free(&m.files[i].u);
		free(m.files[i].path);
	}
	free(m.files);
	free(m.summary);
	return result;
}

void patch_free(struct patch *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->files[i].name);
		free(p->files[i].path);
		free(p->files[i].before);
		free(p->files[i].after);
	}
	free(p->files);
	free(p->summary);
	*p = (struct patch){ .number = p->number };
}

void patch_print(FILE *to, const struct patch *p)
{
	for (size_t i = 0; i < p->n; i++)
		diff_write(to, p->files[i].name, p->files[i].before, p->files[i].after);
}
