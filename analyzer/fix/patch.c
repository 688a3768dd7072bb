/* SPDX-License-Identifier: MIT */
#include "fix/patch.h"

#include "fix/clang.h"
#include "fix/diff.h"
#include "fix/making.h"
#include "repair/outside.h"

#include <stdlib.h>
#include <string.h>

#define LOOKED_AT 100 /* classes, for what is changed beside the blocks */

struct file *making_file(struct making *m, const char *name)
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

	f->path = *f->name == '/' ? xstrdup(f->name)
				  : xasprintf("%s/%s", m->request->run->cwd, f->name);
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

static int open_file(struct making *m, const char *name)
{
	if (!name)
		return error_set(m->e, "the block is in code without line numbers");
	if (making_file(m, name))
		return 0;
	m->files[m->n] = (struct file){ .name = name };
	return parse(m, &m->files[m->n++]);
}

static bool in_circle(const struct patch_request *q, const struct nesting *n)
{
	for (uint32_t c = 0; c < q->ncircles; c++)
		if (lock_circle_has(&q->circles[c], n))
			return true;
	return false;
}

static int open_files(struct making *m)
{
	const struct patch_request *q = m->request;
	const struct nesting *n;
	uint32_t most = q->nblocks;

	while (q->nestings && nestings_get(q->nestings, most - q->nblocks))
		most++;
	/* They stay where they are; one more for the header of a structure. */
	m->files = xcalloc(most + 1, sizeof *m->files);
	for (uint32_t i = 0; i < q->nblocks; i++)
		if (open_file(m, q->blocks[i].file) < 0)
			return -1;
	for (uint32_t i = 0; q->nestings && (n = nestings_get(q->nestings, i)); i++) {
		const struct source_frame *at = srcmap_own_frame(q->map, n->first_site);

		if (in_circle(q, n) && at && open_file(m, at->file) < 0)
			return -1;
	}
	return 0;
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

/* Does the statement read the member or variable that is written, for a variable that the block
 * uses? */
static bool reads_for(const struct unit *u, const struct range *r, struct node *s,
		      const struct node *written)
{
	struct node *variable = NULL;
	bool reads = false;

	for (struct node *n = s; n; n = node_next(s, n)) {
		reads |= n->name && !strcmp(n->name, written->name) &&
			 (n->kind == NODE_MEMBER || (n->kind == NODE_REFERENCE && n->global));
		if (n->kind == NODE_VARIABLE)
			variable = n;
		else if (node_assigns(u, n) && node_strip(n->child)->kind == NODE_REFERENCE &&
			 !node_strip(n->child)->global)
			variable = node_strip(n->child);
	}
	if (!reads || !variable || !variable->id)
		return false;
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n))
		if (n->kind == NODE_REFERENCE && n->id && !strcmp(n->id, variable->id))
			return true;
	return false;
}

static bool has_entry(const struct node *s)
{
	for (struct node *n = (struct node *)s; n; n = node_next(s, n))
		if (n->kind == NODE_LABEL || n->kind == NODE_CASE)
			return true;
	return false;
}

/* Compilers give the read of "v = n; if (!v) return; n = v + 1;" the line of the write: then the
 * statements from that before belong to the block, too. */
static void extend_to_read(const struct unit *u, struct range *r)
{
	struct node *written = NULL, *found = NULL;

	for (struct node *n = range_next(r, NULL); n && !written; n = range_next(r, n))
		if (node_assigns(u, n) && node_strip(n->child))
			written = node_strip(n->child);
	if (!written || !written->name)
		return;
	for (struct node *s = r->first->parent->child; s && s != r->first; s = s->next) {
		if (has_entry(s))
			found = NULL;
		else if (s->kind != NODE_IF && !node_is_loop(s) && reads_for(u, r, s, written))
			found = s;
	}
	if (found) {
		r->first = found;
		r->from = found->line;
	}
}

static int find_blocks(struct making *m)
{
	const struct patch_request *q = m->request;

	for (uint32_t i = 0; i < q->nblocks; i++) {
		struct file *f = making_file(m, q->blocks[i].file);

		if (f->nblocks == MAX_RANGES)
			return error_set(m->e, "the repair has too many blocks");
		if (range_find(&f->u, q->blocks[i].function, q->blocks[i].first, q->blocks[i].last,
			       &f->blocks[f->nblocks], m->e) < 0)
			return -1;
		extend_to_read(&f->u, &f->blocks[f->nblocks]);
		f->nblocks++;
	}
	return 0;
}

static void add_other(void *data, const struct event *outside)
{
	struct making *m = data;
	const struct source_frame *at = srcmap_own_frame(m->request->map, outside->site);
	struct file *f;
	struct range r;

	if (outside->kind == LP_EV_TRYLOCK_FAIL || !at || !at->file || !at->function || !at->line)
		return;
	f = making_file(m, at->file);
	if (!f) {
		for (size_t i = 0; i < m->n; i++)
			m->files[i].others_lost = true;
		return;
	}
	for (uint32_t i = 0; i < f->nothers; i++)
		if (f->others[i].from == at->line && f->others[i].to == at->line)
			return;
	if (f->nothers == MAX_RANGES ||
	    range_find(&f->u, at->function, at->line, at->line, &r, NULL) < 0)
		f->others_lost = true;
	else if (!in_blocks(f, &r))
		f->others[f->nothers++] = r;
}

static bool is_changed(const struct file *f, uint32_t line)
{
	for (uint32_t i = 0; i < f->nchanged; i++)
		if (f->changed[i] == line)
			return true;
	return false;
}

/* The lines that write what other threads use. */
static void note_changes(struct making *m, const struct trace *t)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		const struct source_frame *at;
		struct file *f;
		bool conflicts = false;

		if ((e->kind != LP_EV_WRITE && e->kind != LP_EV_RMW) || trace_gives_again(t, i))
			continue;
		at = srcmap_own_frame(m->request->map, e->site);
		f = at && at->file ? making_file(m, at->file) : NULL;
		if (!f || f->nchanged == MAX_RANGES || is_changed(f, at->line))
			continue;
		for (uint32_t k = 0; k < t->nevents && !conflicts; k++)
			conflicts = events_conflict(e, &t->events[k]);
		if (conflicts)
			f->changed[f->nchanged++] = at->line;
	}
}

/* What conflicts with the statements, which may be more than the lines of the repair. */
static int find_others(struct making *m)
{
	struct source_map source = srcmap_source(m->request->map);
	struct flows *flows = flows_new(&source);
	struct repair blocks = { 0 };
	struct trace t = { 0 };
	int more = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct file *f = &m->files[i];

		for (uint32_t k = 0; k < f->nblocks; k++)
			repair_add(&blocks, &(struct block){ f->name, f->blocks[k].function->name,
							     f->blocks[k].first->line,
							     f->blocks[k].last->last });
	}
	run_rewind(m->request->run);
	for (unsigned i = 0; i < MOST_CLASSES; i++) {
		more = run_next(m->request->run, &t, m->e);
		if (more != 1)
			break;
		outside_conflicts(flows, &t, &blocks, add_other, m);
		if (i < LOOKED_AT)
			note_changes(m, &t);
	}
	trace_free(&t);
	repair_free(&blocks);
	flows_free(flows);
	for (size_t i = 0; i < m->n; i++)
		m->files[i].nothers = ranges_unite(m->files[i].others, m->files[i].nothers);
	return more < 0 ? -1 : 0;
}

struct wanted {
	const struct file *f;
	const struct lock *lock;
	const struct range *r;
};

static bool is_protected(const char *name, void *data)
{
	const struct wanted *w = data;

	return strcmp(name, w->lock->class) != 0 &&
	       lock_protects(&w->f->locks, w->lock, w->r, name);
}

/* Is the lock of the block's function, and perhaps held there? */
static bool is_own(const struct file *f, const struct lock *lock, const struct range *r)
{
	bool own;

	if (lock->function != r->function)
		return false;
	lock_flow(&f->locks, lock, r->function);
	own = r->first->before != HELD_NO;
	for (struct node *n = range_next(r, NULL); n && !own; n = range_next(r, n))
		own = lock_call(&f->locks, lock, n) != CALL_NONE;
	return own;
}

/* Classes of locks worth trying, the *nown of the block's own function first. */
static size_t classes(struct making *m, const char **list, size_t most, size_t *nown)
{
	const struct file *f = &m->files[0];
	const struct range *r = &f->blocks[0];
	size_t n = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		*nown = n;
		for (size_t i = 0; i < f->locks.n && n < most; i++) {
			const struct lock *lock = &f->locks.list[i];
			struct wanted w = { f, lock, r };
			bool known = false;

			for (size_t k = 0; k < n; k++)
				known |= !strcmp(list[k], lock->class);
			if (!known && (pass ? range_uses(&f->locks, r, is_protected, &w)
					    : is_own(f, lock, r)))
				list[n++] = lock->class;
		}
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

		if (!f->edits.n)
			continue;
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
	p->summary = xasprintf("%s%s%s%s", m->no_order ? "no order of the locks: " : "",
			       m->no_order ? m->no_order_why.message : "", m->no_order ? "\n" : "",
			       m->summary);
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
	} else {
		m->why = *m->e;
	}

	forget(m);
	return false;
}

/* The locks of circles in one order, or in the other. */
static bool choose_order(struct making *m, unsigned *left, struct patch *p)
{
	for (unsigned down = 0; m->request->ncircles && down < 2; down++) {
		int result = try_order(m, down);

		if (result < 0 && !down)
			m->no_order_why = *m->e;
		m->no_order = result < 0 && (!down || m->no_order);
		if (done(m, result, left, p))
			return true;
	}
	return false;
}

/* A lock that is there already. */
static bool choose_lock(struct making *m, unsigned *left, struct patch *p)
{
	const char *list[16];
	size_t nown = 0;
	size_t n = m->request->nblocks ? classes(m, list, sizeof list / sizeof *list, &nown) : 0;
	bool others = false;

	for (size_t i = 0; i < m->n; i++)
		others |= m->files[i].nothers || m->files[i].others_lost;
	for (size_t i = 0; i < nown; i++) {
		if (others && done(m, try_class(m, list[i], true), left, p))
			return true;
		if (done(m, try_class(m, list[i], false), left, p))
			return true;
	}
	for (size_t i = nown; i < n; i++)
		if (done(m, try_class(m, list[i], true), left, p))
			return true;
	return false;
}

static int choose(struct making *m, unsigned number, struct patch *p)
{
	const char *no_lock = m->request->no_lock;
	unsigned left = number;

	if (choose_order(m, &left, p) || choose_lock(m, &left, p))
		return 1;
	if (!m->request->nblocks)
		return 0;
	if (done(m, try_atomic(m), &left, p))
		return 1;
	if (no_lock)
		error_set(&m->why, "a new lock around these lines is not enough: %s", no_lock);
	else if (done(m, try_member(m), &left, p) || done(m, try_mutex(m), &left, p))
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
	result = open_files(&m) < 0 || find_blocks(&m) < 0 || find_others(&m) < 0
			 ? -1
			 : choose(&m, number, p);
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
