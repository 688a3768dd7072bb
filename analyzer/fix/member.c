/* SPDX-License-Identifier: MIT */
#include "fix/member.h"

#include "fix/reach.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Is it such an object (1), or a pointer to one (2)? */
static unsigned is_of(const char *type, const char *record)
{
	size_t n = strlen(record);

	if (!type || strncmp(type, record, n) != 0)
		return 0;
	return !type[n] ? 1 : !strcmp(type + n, " *") || !strcmp(type + n, " &") ? 2 : 0;
}

/* The one variable in the function that is such an object, or points to one. */
static const struct node *object_in(const struct range *r, const char *record)
{
	const struct node *found = NULL;

	for (struct node *n = r->function; n; n = node_next(r->function, n)) {
		if (n->kind != NODE_REFERENCE || !n->id || !is_of(n->type, record))
			continue;
		if (found && strcmp(found->id, n->id) != 0)
			return NULL;
		found = n;
	}
	return found;
}

static bool reaches(const struct locks *l, const struct range *list, uint32_t n, struct member *m)
{
	const char *record = m->record->type;

	for (uint32_t i = 0; i < n; i++) {
		const struct range *r = &list[i];
		bool method = r->function->id && !strcmp(r->function->id, record);

		m->objects[i] = method ? NULL : object_in(r, record);
		if (!method && !m->objects[i])
			return false;
	}
	return reach_one_object(l, record, list, n, m->objects);
}

/* Is the structure defined in this source, or in a header of it? */
static bool may_change(const struct member *m)
{
	size_t n = strlen(m->root);

	return m->record->end > m->record->start &&
	       (!strcmp(m->record->file, m->source) ||
		(!strncmp(m->record->file, m->root, n) && m->record->file[n] == '/'));
}

static bool has_member(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->nmembers; i++)
		if (!strcmp(r->members[i], name))
			return true;
	return false;
}

static bool choose(const struct locks *l, const char *type, const struct range *list, uint32_t n,
		   struct member *m)
{
	size_t length = type ? strcspn(type, "*&") : 0;
	char *record;

	while (length && type[length - 1] == ' ')
		length--;
	record = xstrndup(type ? type : "", length);
	m->record = unit_record(l->u, record);
	free(record);
	return m->record && may_change(m) && reaches(l, list, n, m);
}

bool member_choose(const struct locks *l, const struct range *list, uint32_t n, struct member *m)
{
	struct node *f = list[0].function;
	bool found;

	if (n > sizeof m->objects / sizeof *m->objects)
		return false;
	found = f->id && choose(l, f->id, list, n, m);
	for (unsigned global = 0; global < 2 && !found; global++)
		for (struct node *v = f; v && !found; v = node_next(f, v))
			if (global ? v->kind == NODE_REFERENCE && v->global
				   : v->kind == NODE_VARIABLE)
				found = choose(l, v->type, list, n, m);
	if (!found)
		return false;
	m->name = xstrdup("lock");
	for (unsigned i = 2; has_member(m->record, m->name); i++) {
		free(m->name);
		m->name = xasprintf("lock%u", i);
	}
	m->class = xasprintf("%s.%s", m->record->type, m->name);
	return true;
}

char *member_shown(const struct unit *u, const struct member *m, uint32_t range)
{
	const struct node *v = m->objects[range];
	const char *address = u->cplusplus ? "" : "&";

	if (!v)
		return xasprintf("%s%s", address, m->name);
	return xasprintf("%s%s%s%s", address, v->name, strchr(v->type, '*') ? "->" : ".", m->name);
}

void member_declare(const struct unit *text, const struct member *m, bool cplusplus,
		    struct edits *edits)
{
	const char *type = cplusplus ? "mutable std::mutex" : "pthread_mutex_t";
	uint32_t at = m->record->flexible, line;
	char *indent;

	if (at) {
		indent = edit_indent(text, at);
		edit_replace(edits, at, at, xasprintf("%s %s;\n%s", type, m->name, indent));
		free(indent);
		return;
	}
	at = m->record->end - 1; /* the brace */
	line = edit_line_start(text, at);
	if (strspn(text->text + line, " \t") < at - line) {
		edit_replace(edits, at, at, xasprintf("%s %s; ", type, m->name));
		return;
	}
	/* as the member before it */
	indent = edit_indent(text, line ? line - 1 : 0);
	edit_replace(edits, line, line,
		     xasprintf("%s%s %s;\n", *indent ? indent : "\t", type, m->name));
	free(indent);
}

/* ---- initialization ---- */

/* At the end of a function. */
static void add_statement(const struct unit *u, const struct node *function, const char *statement,
			  struct edits *edits)
{
	struct node *body = node_body(function), *last = NULL;

	for (struct node *n = body->child; n; n = n->next)
		last = n;
	if (!last)
		edit_replace(edits, body->start + 1, body->start + 1, xasprintf(" %s ", statement));
	else if (last->kind == NODE_RETURN)
		edit_before(edits, u, last, last->end, statement);
	else
		edit_behind(edits, u, last, last->start, statement);
}

/* A function that is given the object, and called as what initializes it. */
static bool in_initializer(const struct unit *u, const struct member *m, struct edits *edits)
{
	for (size_t i = 0; i < u->nfunctions; i++) {
		const struct node *f = u->functions[i];

		if (!strstr(f->name, "init") && !strstr(f->name, "Init"))
			continue;
		for (struct node *v = f->child; v; v = v->next) {
			char *statement;

			if (v->kind != NODE_VARIABLE || !v->parameter ||
			    is_of(v->type, m->record->type) != 2)
				continue;
			statement =
				xasprintf("pthread_mutex_init(&%s->%s, NULL);", v->name, m->name);
			add_statement(u, f, statement, edits);
			free(statement);
			return true;
		}
	}
	return false;
}

static bool allocates(const struct node *n)
{
	for (struct node *c = (struct node *)n; c; c = node_next(n, c))
		if (c->kind == NODE_CALL && c->name && strstr(c->name, "alloc"))
			return true;
	return false;
}

static bool mentions(const struct node *n, const char *id)
{
	for (struct node *c = (struct node *)n; c; c = node_next(n, c))
		if (c->kind == NODE_REFERENCE && c->id && !strcmp(c->id, id))
			return true;
	return false;
}

/* Behind the allocation, and what looks whether it succeeded or fills the memory. */
static void behind_allocation(const struct unit *u, const struct member *m, struct node *n,
			      const char *name, const char *id, struct edits *edits)
{
	char *statement = xasprintf("pthread_mutex_init(&%s->%s, NULL);", name, m->name);
	struct node *last = NULL;

	while (!node_is_statement(n))
		n = n->parent;
	for (struct node *s = n; s; s = s->next) {
		char *text = node_packed(u, s);
		bool whole = s == n || (s->kind == NODE_IF && mentions(s->child, id)) ||
			     !strncmp(text, "memset(", 7) || *text == '*';

		free(text);
		if (!whole || (s != n && !mentions(s, id)))
			break;
		last = s;
	}
	edit_behind(edits, u, last, n->start, statement);
	free(statement);
}

static bool on_heap(const struct unit *u, const struct member *m, struct edits *edits)
{
	bool any = false;

	for (size_t i = 0; i < u->nfunctions; i++) {
		struct node *f = u->functions[i];

		for (struct node *n = f; n; n = node_next(f, n)) {
			struct node *v = n->kind == NODE_VARIABLE ? n
					 : node_assigns(u, n)     ? node_strip(n->child)
								  : NULL;

			if (!v || !v->id || v->parameter || is_of(v->type, m->record->type) != 2 ||
			    (v->kind != NODE_VARIABLE && v->kind != NODE_REFERENCE) ||
			    !allocates(n))
				continue;
			behind_allocation(u, m, n, v->name, v->id, edits);
			any = true;
		}
	}
	return any;
}

/* In a list of values in braces: as its last one. */
static void add_value(const struct unit *u, const struct node *v, const char *value,
		      struct edits *edits)
{
	uint32_t brace = v->end - 1, at = brace, line = edit_line_start(u, brace);
	bool own_line = strspn(u->text + line, " \t") == brace - line;

	while (at > v->start && isspace((unsigned char)u->text[at - 1]))
		at--;
	if (own_line && at > v->start) {
		char *indent = edit_indent(u, at - 1);

		if (u->text[at - 1] != ',' && u->text[at - 1] != '{')
			edit_replace(edits, at, at, xstrdup(","));
		edit_replace(edits, line, line, xasprintf("%s%s,\n", indent, value));
		free(indent);
	} else {
		edit_replace(
			edits, at, brace,
			xasprintf("%s%s ",
				  u->text[at - 1] == ',' || u->text[at - 1] == '{' ? " " : ", ",
				  value));
	}
}

static bool in_globals(const struct unit *u, const struct member *m, struct edits *edits)
{
	char *value = xasprintf(".%s = PTHREAD_MUTEX_INITIALIZER", m->name);
	bool any = false;

	for (struct node *v = u->globals; v; v = v->next) {
		if (is_of(v->type, m->record->type) != 1)
			continue;
		any = true;
		if (u->text[v->end - 1] == '}')
			add_value(u, v, value, edits);
		else
			edit_replace(edits, v->end, v->end, xasprintf(" = { %s }", value));
	}
	free(value);
	return any;
}

/* Variables of functions. */
static bool on_stack(const struct unit *u, const struct member *m, struct edits *edits)
{
	bool any = false;

	for (size_t i = 0; i < u->nfunctions; i++) {
		struct node *f = u->functions[i];

		for (struct node *v = f; v; v = node_next(f, v)) {
			char *statement;

			if (v->kind != NODE_VARIABLE || v->parameter || v->global ||
			    is_of(v->type, m->record->type) != 1)
				continue;
			statement =
				xasprintf("pthread_mutex_init(&%s.%s, NULL);", v->name, m->name);
			if (v->parent->kind == NODE_DECLARATION)
				edit_behind(edits, u, v->parent, v->parent->start, statement);
			any |= v->parent->kind == NODE_DECLARATION;
			free(statement);
		}
	}
	return any;
}

bool member_initialize(const struct unit *u, const struct member *m, struct edits *edits)
{
	bool any;

	if (in_initializer(u, m, edits))
		return true;
	any = on_heap(u, m, edits);
	any |= in_globals(u, m, edits);
	return on_stack(u, m, edits) || any;
}

void member_free(struct member *m)
{
	free(m->name);
	free(m->class);
	*m = (struct member){ 0 };
}
