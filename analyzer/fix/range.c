/* SPDX-License-Identifier: MIT */
#include "fix/range.h"

#include <string.h>

static bool touches(const struct node *n, uint32_t first, uint32_t last)
{
	return n->line <= last && n->last >= first;
}

/* The children of a compound statement that have one of the lines. */
static bool children_in(const struct node *compound, uint32_t first, uint32_t last,
			struct node **from, struct node **to)
{
	*from = *to = NULL;
	for (struct node *c = compound->child; c; c = c->next) {
		if (!touches(c, first, last))
			continue;
		if (!*from)
			*from = c;
		*to = c;
	}
	return *from != NULL;
}

/* A compound statement below `n` whose statements have all the lines; NULL: none. */
static struct node *compound_with(struct node *n, uint32_t first, uint32_t last)
{
	struct node *end, *begin;

	for (struct node *c = n->child; c; c = c->next) {
		struct node *inner = compound_with(c, first, last);

		if (inner)
			return inner;
	}
	if (n->kind != NODE_COMPOUND || !children_in(n, first, last, &begin, &end))
		return NULL;
	/* A line of the block that is a head (`while (x) {`, `} else if (y)`) is outside. */
	if (begin->line > first || end->last < last)
		return NULL;
	/* "if (x) { y; }" on one line: the condition is on it, too. */
	if (n->parent->kind != NODE_FUNCTION && n->parent->line >= first &&
	    n->parent->kind != NODE_DO)
		return NULL;
	if (n->parent->kind == NODE_DO && (n->parent->line >= first || n->parent->last <= last))
		return NULL;
	return n;
}

bool range_has(const struct range *r, const struct node *n)
{
	return n->start >= r->first->start && n->end <= r->last->end &&
	       node_inside(n, r->first->parent) && n != r->first->parent;
}

struct node *range_next(const struct range *r, struct node *n)
{
	struct node *next = n ? node_next(r->first->parent, n) : r->first;

	return next && range_has(r, next) ? next : NULL;
}

static const struct node *jump_target(const struct node *n)
{
	const struct node *p = n->parent;

	while (p && !node_is_loop(p) && (n->kind != NODE_BREAK || p->kind != NODE_SWITCH))
		p = p->parent;
	return p;
}

static struct node *label_of(const struct range *r, const char *name)
{
	for (struct node *n = r->function; n; n = node_next(r->function, n))
		if (n->kind == NODE_LABEL && name && n->name && !strcmp(n->name, name))
			return n;
	return NULL;
}

/* The front end names the label in what a goto refers to. */
static const char *goto_name(const struct node *n)
{
	return n->child && n->child->name && *n->child->name ? n->child->name : n->name;
}

bool range_is_exit(const struct range *r, const struct node *n)
{
	const struct node *target;

	switch (n->kind) {
	case NODE_RETURN:
		return true;
	case NODE_BREAK:
	case NODE_CONTINUE:
		target = jump_target(n);
		return target && !range_has(r, target);
	case NODE_GOTO:
		target = label_of(r, goto_name(n));
		return !target || !range_has(r, target);
	default:
		return false;
	}
}

static bool never_left_by(const char *name)
{
	static const char *const names[] = { "longjmp",      "_longjmp",    "siglongjmp",
					     "pthread_exit", "thrd_exit",   "setjmp",
					     "_setjmp",      "sigsetjmp",   "__sigsetjmp",
					     "setcontext",   "swapcontext", NULL };

	for (size_t i = 0; name && names[i]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int check_entries(const struct unit *u, const struct range *r, struct error *e)
{
	for (struct node *n = r->function; n; n = node_next(r->function, n)) {
		const struct node *target;

		if (n->kind != NODE_GOTO || range_has(r, n))
			continue;
		target = label_of(r, goto_name(n));
		if (target && range_has(r, target) && target != r->first)
			return error_set(e,
					 "%s:%u jumps into the block, so no lock can be taken at "
					 "its beginning",
					 u->path, n->line);
	}
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n)) {
		const struct node *p = n->parent;

		if (n->kind == NODE_CALL && never_left_by(n->name))
			return error_set(e,
					 "%s:%u calls %s, which leaves the block unseen, so no "
					 "lock can be given back",
					 u->path, n->line, n->name);
		if (n->kind != NODE_CASE || n == r->first)
			continue;
		while (p && p->kind != NODE_SWITCH)
			p = p->parent;
		if (p && !range_has(r, p))
			return error_set(e,
					 "%s:%u: a case of a switch begins inside the block, so "
					 "no lock can be taken at its beginning",
					 u->path, n->line);
	}
	return 0;
}

/* Does something of the function stand on that line? Lines that the preprocessor left out have
 * nothing. */
static bool has_line(struct node *function, uint32_t line)
{
	for (struct node *n = function; n; n = node_next(function, n))
		if (n != function && n->kind != NODE_COMPOUND &&
		    (n->line == line || n->last == line))
			return true;
	return false;
}

int range_find(const struct unit *u, const char *function, uint32_t first, uint32_t last,
	       struct range *r, struct error *e)
{
	struct node *f = function ? unit_function(u, function) : unit_function_at(u, first),
		    *compound;

	if (!f)
		f = unit_function_at(u, first);
	if (!f || f->line > last || f->last < first)
		return error_set(e,
				 "%s: with these flags there is no function %s at line %u (flags "
				 "of the compiler can be given after --)",
				 u->path, function ? function : "", first);
	*r = (struct range){ .function = f, .from = first, .to = last };
	if (!has_line(f, first) || !has_line(f, last))
		return error_set(e,
				 "%s:%u: with these flags there is no statement here (flags of the "
				 "compiler can be given after --)",
				 u->path, has_line(f, first) ? last : first);
	compound = compound_with(f, first, last);
	if (!compound)
		compound = node_body(f);
	/* A block may begin on the line of the function's head or end at its brace. */
	if (!compound || compound->kind != NODE_COMPOUND ||
	    !children_in(compound, first, last, &r->first, &r->last))
		return error_set(e,
				 "%s:%u: with these flags there is no statement here (flags of the "
				 "compiler can be given after --)",
				 u->path, first);
	return check_entries(u, r, e);
}

bool range_unite(struct range *r, const struct range *with)
{
	struct node *a = r->first, *b = with->first, *z = r->last, *common = a->parent;

	if (r->function != with->function)
		return false;
	while (common && !node_inside(b, common))
		common = common->parent;
	while (common && common->kind != NODE_COMPOUND)
		common = common->parent;
	if (!common)
		return false;
	for (struct node *c = common->child, *first = NULL; c; c = c->next) {
		bool here = node_inside(a, c) || node_inside(b, c) || node_inside(z, c) ||
			    node_inside(with->last, c);

		if (here && !first)
			r->first = first = c;
		if (here)
			r->last = c;
	}
	if (with->from < r->from)
		r->from = with->from;
	if (with->to > r->to)
		r->to = with->to;
	return true;
}
