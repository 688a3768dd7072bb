/* SPDX-License-Identifier: MIT */
#include "fix/guard.h"

#include <stdlib.h>
#include <string.h>

bool guard_call(const char *name)
{
	return name && (!strcmp(name, "lock_guard") || !strcmp(name, "scoped_lock") ||
			!strcmp(name, "unique_lock"));
}

struct node *guard_statement(const struct node *call)
{
	struct node *n = call->parent;

	while (n && n->kind == NODE_OTHER)
		n = n->parent;
	if (!n || n->kind != NODE_VARIABLE || !n->parent || n->parent->kind != NODE_DECLARATION ||
	    n->parent->child != n || n->next)
		return NULL;
	return n->parent;
}

/* Is a variable of the range used behind it? */
static bool used_behind(const struct range *r)
{
	for (struct node *v = range_next(r, NULL); v; v = range_next(r, v))
		for (struct node *s = r->last->next; s && v->kind == NODE_VARIABLE; s = s->next)
			for (struct node *n = s; n; n = node_next(s, n))
				if (n->kind == NODE_REFERENCE && n->id && v->id &&
				    !strcmp(n->id, v->id))
					return true;
	return false;
}

/* One level deeper than the statement's own indentation. */
static char *one_level(const struct unit *u, const struct node *s)
{
	char *inner = edit_indent(u, s->start), *outer = edit_indent(u, s->parent->start), *level;
	size_t n = strlen(outer);

	level = strlen(inner) > n ? xstrdup(inner + n) : xstrdup("\t");
	free(inner);
	free(outer);
	return level;
}

static void indent_lines(const struct unit *u, const struct range *r, struct edits *edits)
{
	char *level = one_level(u, r->first);

	for (uint32_t at = edit_line_start(u, r->first->start); at < r->last->end;
	     at = edit_line_end(u, at) + 1)
		if (u->text[at] != '\n' && u->text[at] != '#')
			edit_replace(edits, at, at, xstrdup(level));
	free(level);
}

/* From the first statement to the last, in braces of its own if others follow. */
static void put_guard(const struct unit *u, const struct range *r, const char *declaration,
		      struct edits *edits)
{
	char *indent = edit_indent(u, r->first->start), *level = one_level(u, r->first);
	uint32_t start = edit_line_start(u, r->first->start), end = edit_line_end(u, r->last->end);
	bool own_lines = strspn(u->text + start, " \t") == r->first->start - start;

	if (!r->last->next) {
		edit_before(edits, u, r->first, r->last->end, declaration);
	} else if (!own_lines) {
		edit_replace(edits, r->first->start, r->first->start,
			     xasprintf("{ %s ", declaration));
		edit_replace(edits, r->last->end, r->last->end, xstrdup(" }"));
	} else {
		edit_replace(edits, start, start,
			     xasprintf("%s{\n%s%s%s\n", indent, indent, level, declaration));
		indent_lines(u, r, edits);
		edit_replace(edits, end + 1, end + 1, xasprintf("%s}\n", indent));
	}
	free(level);
	free(indent);
}

static bool name_is_used(const struct node *function, const char *name)
{
	for (struct node *n = (struct node *)function; n; n = node_next(function, n))
		if (n->kind == NODE_VARIABLE && n->name && !strcmp(n->name, name))
			return true;
	return false;
}

int guard_range(const struct locks *l, const struct lock *lock, struct range *r,
		struct edits *edits, bool *changed, struct error *e)
{
	const struct unit *u = l->u;
	const char *name = name_is_used(r->function, "hold") ? "hold_block" : "hold";
	char *declaration, *condition;
	bool to_end = used_behind(r);

	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n)) {
		struct node *s;

		if (lock_call(l, lock, n) != CALL_TAKE)
			continue;
		s = guard_statement(n);
		if (!s || strcmp(n->name, "unique_lock") == 0)
			return error_set(e, "%s:%u: the guard there may be unlocked by hand",
					 u->path, n->line);
		to_end |= s->parent == r->first->parent;
		edit_remove(edits, u, s, &condition);
		free(condition);
	}
	while (to_end && r->last->next) {
		r->last = r->last->next;
		r->to = r->last->last;
	}
	declaration = xasprintf("std::lock_guard<std::mutex> %s(%s);", name, lock->shown);
	put_guard(u, r, declaration, edits);
	free(declaration);
	*changed = true;
	return 0;
}
