/* SPDX-License-Identifier: MIT
 *
 * One order of locks that threads wait for in a circle.
 *
 * Every place where two of them are taken, one while the other is held, is brought into one order: the
 * two calls change places, or the second one goes up to the first. Where one place takes them in both
 * orders, since they are of different objects each time, the order is that of their addresses, in all
 * places. A lock is taken earlier then, which is harmless if nothing between the calls waits, leaves, or
 * decides which lock the second one is.
 */
#include "fix/address.h"
#include "fix/chosen.h"
#include "fix/guard.h"
#include "fix/making.h"
#include "fix/mutex.h"

#include <stdlib.h>
#include <string.h>

struct place {
	struct file *f;
	struct node *first, *second; /* calls */
	struct node *above, *below;  /* their statements */
	bool up, down;               /* orders in which it takes them */
};

struct places {
	struct place list[MAX_RANGES];
	uint32_t n;
	bool by_address;
};

static struct node *lock_on_line(const struct file *f, struct node *function, uint32_t line)
{
	for (struct node *n = function; n; n = node_next(function, n)) {
		if (n->kind != NODE_CALL || n->line != line)
			continue;
		for (size_t i = 0; i < f->locks.n; i++)
			if (f->locks.list[i].function == function &&
			    lock_call(&f->locks, &f->locks.list[i], n) == CALL_TAKE)
				return n;
	}
	return NULL;
}

static struct node *statement_of_lock(struct node *call)
{
	struct node *n = call;

	while (n && !node_is_statement(n))
		n = n->parent;
	return n && (node_strip(n) == call || guard_statement(call) == n) ? n : NULL;
}

static int unknown(struct making *m, const struct source_frame *at)
{
	return error_set(m->e,
			 "%s:%u: the locks there are not taken by two statements of one block",
			 at && at->file ? at->file : "?", at ? at->line : 0);
}

/* The two statements of a nesting, which are neighbours but for what is between. */
static int find_place(struct making *m, const struct nesting *n, struct place *p)
{
	const struct source_frame *a = srcmap_own_frame(m->request->map, n->first_site);
	struct source_frame first = a ? *a : (struct source_frame){ 0 };
	const struct source_frame *b = srcmap_own_frame(m->request->map, n->second_site);
	struct node *function;

	*p = (struct place){ 0 };
	if (!a || !b || !first.file || !b->file || strcmp(first.file, b->file) != 0)
		return unknown(m, b);
	p->f = making_file(m, first.file);
	function = p->f ? unit_function_at(&p->f->u, first.line) : NULL;
	if (!function || unit_function_at(&p->f->u, b->line) != function)
		return unknown(m, b);
	p->first = lock_on_line(p->f, function, first.line);
	p->second = lock_on_line(p->f, function, b->line);
	p->above = p->first ? statement_of_lock(p->first) : NULL;
	p->below = p->second ? statement_of_lock(p->second) : NULL;
	if (!p->above || !p->below || p->above->parent != p->below->parent ||
	    p->above->start >= p->below->start)
		return unknown(m, b);
	return 0;
}

static int add_place(struct making *m, struct places *all, const struct nesting *n)
{
	struct place p;
	uint32_t i = 0;

	if (find_place(m, n, &p) < 0)
		return -1;
	while (i < all->n && all->list[i].above != p.above)
		i++;
	if (i < all->n && all->list[i].below != p.below)
		return error_set(m->e, "%s:%u: more than two locks of the circle are taken there",
				 p.f->name, p.above->line);
	if (i == MAX_RANGES)
		return error_set(m->e, "there are too many places that take the locks");
	if (i == all->n)
		all->list[all->n++] = p;
	all->list[i].up |= n->first < n->second;
	all->list[i].down |= n->first > n->second;
	all->by_address |= all->list[i].up && all->list[i].down;
	return 0;
}

struct between {
	const struct locks *l;
	struct range r;
};

static bool written_between(const struct node *n, void *data)
{
	const struct between *b = data;

	return range_writes(b->l, &b->r, n->name);
}

/* May the second lock be taken where the first one is? */
static int check_between(struct making *m, const struct place *p)
{
	struct between b = { &p->f->locks,
			     { p->above->parent, p->above->next, p->above->next, 0, 0 } };
	bool changes;

	if (chosen_early(m, p->f, p->first, p->second) < 0)
		return -1;
	if (p->above->next == p->below)
		return 0;
	for (struct node *s = b.r.first; s != p->below; s = s->next)
		b.r.last = s;
	for (struct node *n = range_next(&b.r, NULL); n; n = range_next(&b.r, n)) {
		if (range_is_exit(&b.r, n) || n->kind == NODE_CALL || n->kind == NODE_LABEL)
			return error_set(m->e, "%s:%u: the second lock cannot be taken before this",
					 p->f->name, n->line);
	}
	changes = address_reads(&p->f->u, lock_argument(p->second), written_between, &b);
	for (struct node *n = p->second; n; n = node_next(p->second, n))
		changes |= n->kind == NODE_REFERENCE && n->id && !n->global &&
			   range_changes(&p->f->u, &b.r, n->id);
	return changes ? error_set(m->e,
				   "%s:%u: which lock is the second is known only after the first "
				   "is taken",
				   p->f->name, p->below->line)
		       : 0;
}

/* The argument of a lock call, to free. */
static char *argument_of(const struct file *f, const struct node *call)
{
	const struct node *argument = lock_argument(call);

	return argument ? node_text(&f->u, argument) : xstrdup("");
}

/* Both calls in the order of their locks' addresses. */
static char *ordered(const struct place *p, const char *above, const char *below,
		     const char *indent)
{
	char *a = argument_of(p->f, p->first), *b = argument_of(p->f, p->second), *text;

	/* which never waits for one while it holds the other */
	if (p->f->u.cplusplus && guard_call(p->first->name))
		text = xasprintf("std::scoped_lock %s(%s, %s);",
				 p->first->parent && p->first->parent->name ? p->first->parent->name
									    : "hold",
				 a, b);
	else
		text = xasprintf("if ((uintptr_t)%s < (uintptr_t)%s) {\n"
				 "%s\t%s\n%s\t%s\n%s} else {\n%s\t%s\n%s\t%s\n%s}",
				 a, b, indent, above, indent, below, indent, indent, below, indent,
				 above, indent);
	free(a);
	free(b);
	return text;
}

static int change(struct making *m, const struct place *p, bool by_address)
{
	const struct unit *u = &p->f->u;
	char *above = node_text(u, p->above), *below = node_text(u, p->below), *text;
	char *indent = edit_indent(u, p->above->start), *condition;

	if (check_between(m, p) < 0) {
		free(above);
		free(below);
		free(indent);
		return -1;
	}
	text = by_address ? ordered(p, above, below, indent)
			  : xasprintf("%s\n%s%s", below, indent, above);
	edit_replace(&p->f->edits, p->above->start, p->above->end, text);
	edit_remove(&p->f->edits, u, p->below, &condition);
	free(condition);
	making_tell(m, p->f, p->above->line, p->below->line,
		    !by_address    ? "the locks are taken in the other order"
		    : u->cplusplus ? "the locks are taken together"
				   : "the locks are taken in the order of their addresses");
	if (by_address && !u->cplusplus && !strstr(u->text, "<stdint.h>"))
		p->f->needs_stdint = true;
	free(above);
	free(below);
	free(indent);
	return 0;
}

int try_order(struct making *m, bool down)
{
	const struct patch_request *q = m->request;
	struct places all = { .n = 0 };
	const struct nesting *n;

	for (uint32_t i = 0; (n = nestings_get(q->nestings, i)); i++)
		for (uint32_t c = 0; c < q->ncircles; c++)
			if (lock_circle_has(&q->circles[c], n) && add_place(m, &all, n) < 0)
				return -1;
	for (uint32_t i = 0; i < all.n; i++) {
		const struct place *p = &all.list[i];
		bool wrong = all.by_address || (down ? p->up : p->down);

		if (wrong && change(m, p, all.by_address) < 0)
			return -1;
	}
	for (size_t i = 0; i < m->n; i++) {
		if (m->files[i].needs_stdint)
			file_include(&m->files[i].u, "<stdint.h>", &m->files[i].edits);
		m->files[i].needs_stdint = false;
	}
	return all.n ? 0 : error_set(m->e, "no place is known that takes the locks");
}
