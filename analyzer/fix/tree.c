/* SPDX-License-Identifier: MIT */
#include "fix/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct node *node_new(struct node *parent, enum node_kind kind)
{
	struct node *n = xcalloc(1, sizeof *n), **at;

	n->kind = kind;
	n->parent = parent;
	if (parent) {
		for (at = &parent->child; *at; at = &(*at)->next)
			;
		*at = n;
	}
	return n;
}

static void node_free(struct node *n)
{
	for (struct node *next; n; n = next) {
		next = n->next;
		node_free(n->child);
		free(n->name);
		free(n->id);
		free(n->type);
		free(n);
	}
}

void unit_free(struct unit *u)
{
	for (size_t i = 0; i < u->nfunctions; i++)
		node_free(u->functions[i]);
	free(u->functions);
	node_free(u->globals);
	for (size_t i = 0; i < u->nrecords; i++) {
		free(u->records[i].type);
		free(u->records[i].file);
		for (size_t k = 0; k < u->records[i].nmembers; k++)
			free(u->records[i].members[k]);
		free(u->records[i].members);
	}
	free(u->records);
	free(u->path);
	free(u->text);
	*u = (struct unit){ 0 };
}

struct record *record_new(struct unit *u)
{
	VEC_GROW(u->records, u->nrecords, u->records_capacity);
	u->records[u->nrecords] = (struct record){ 0 };
	return &u->records[u->nrecords++];
}

const struct record *unit_record(const struct unit *u, const char *type)
{
	for (size_t i = 0; i < u->nrecords; i++)
		if (!strcmp(u->records[i].type, type))
			return &u->records[i];
	return NULL;
}

struct node *node_next(const struct node *top, struct node *n)
{
	if (n->child)
		return n->child;
	while (n != top && !n->next)
		n = n->parent;
	return n == top ? NULL : n->next;
}

bool node_inside(const struct node *n, const struct node *top)
{
	while (n && n != top)
		n = n->parent;
	return n != NULL;
}

bool node_is_loop(const struct node *n)
{
	return n->kind == NODE_WHILE || n->kind == NODE_DO || n->kind == NODE_FOR;
}

struct node *node_child(const struct node *n, unsigned number)
{
	struct node *c = n->child;

	while (c && number--)
		c = c->next;
	return c;
}

struct node *node_body(const struct node *n)
{
	struct node *c = n->child;

	if (n->kind == NODE_DO)
		return c;
	while (c && c->next)
		c = c->next;
	return c;
}

bool node_is_statement(const struct node *n)
{
	const struct node *p = n->parent;

	if (!p)
		return false;
	switch (p->kind) {
	case NODE_COMPOUND:
		return true;
	case NODE_IF:
		return n != p->child;
	case NODE_WHILE:
	case NODE_DO:
	case NODE_FOR:
	case NODE_SWITCH:
	case NODE_CASE:
	case NODE_LABEL:
		return n == node_body(p);
	default:
		return false;
	}
}

struct node *node_strip(struct node *n)
{
	while (n && n->kind == NODE_OTHER && n->child && !n->child->next)
		n = n->child;
	return n;
}

/* What follows blanks and comments. */
static uint32_t skip_blank(const struct unit *u, uint32_t at)
{
	for (;;) {
		while (at < u->size && isspace((unsigned char)u->text[at]))
			at++;
		if (!strncmp(u->text + at, "/*", 2)) {
			const char *end = strstr(u->text + at + 2, "*/");

			if (!end)
				return (uint32_t)u->size;
			at = (uint32_t)(end + 2 - u->text);
		} else if (!strncmp(u->text + at, "//", 2)) {
			at += (uint32_t)strcspn(u->text + at, "\n");
		} else {
			return at;
		}
	}
}

static void finish(struct unit *u, struct node *n)
{
	uint32_t at;

	for (struct node *c = n->child; c; c = c->next) {
		finish(u, c);
		if (c->end > n->end && c->end <= u->size)
			n->end = c->end;
	}
	switch (n->kind) {
	case NODE_COMPOUND:
	case NODE_IF:
	case NODE_WHILE:
	case NODE_FOR:
	case NODE_SWITCH:
	case NODE_CASE:
	case NODE_LABEL:
	case NODE_FUNCTION:
		break;
	default:
		if (!node_is_statement(n) || (n->end && u->text[n->end - 1] == ';'))
			break;
		at = skip_blank(u, n->end);
		if (at < u->size && u->text[at] == ';')
			n->end = at + 1;
	}
	n->line = unit_line(u, n->start);
	n->last = unit_line(u, n->end > n->start ? n->end - 1 : n->start);
}

void function_finish(struct unit *u, struct node *function)
{
	finish(u, function);
	VEC_GROW(u->functions, u->nfunctions, u->capacity);
	u->functions[u->nfunctions++] = function;
}

char *node_text(const struct unit *u, const struct node *n)
{
	return xstrndup(u->text + n->start, n->end - n->start);
}

char *node_packed(const struct unit *u, const struct node *n)
{
	char *text = xmalloc(n->end - n->start + 1);
	size_t used = 0;

	for (uint32_t at = skip_blank(u, n->start); at < n->end; at = skip_blank(u, at + 1)) {
		bool word = used &&
			    (isalnum((unsigned char)text[used - 1]) || text[used - 1] == '_') &&
			    at && isspace((unsigned char)u->text[at - 1]) &&
			    (isalnum((unsigned char)u->text[at]) || u->text[at] == '_');

		if (word)
			text[used++] = ' ';
		text[used++] = u->text[at];
	}
	text[used] = '\0';
	return text;
}

static bool is_operator(char c)
{
	return c && strchr("=+-*/%&|^<>!~", c);
}

void node_operator(const struct unit *u, const struct node *n, char op[4])
{
	const struct node *a = n->child, *b = a ? a->next : NULL;
	uint32_t at, end, used = 0;

	op[0] = '\0';
	if (!a)
		return;
	at = n->kind == NODE_BINARY ? skip_blank(u, a->end) : n->start;
	end = n->kind == NODE_BINARY && b ? b->start : n->end;
	/* The left operand may be in parentheses that the front end does not tell. */
	while (n->kind == NODE_BINARY && at < end && u->text[at] == ')')
		at = skip_blank(u, at + 1);
	if (n->kind == NODE_UNARY && !is_operator(u->text[at]))
		at = skip_blank(u, a->end);
	while (at < end && used < 3 && is_operator(u->text[at])) {
		/* "a = -b", "a = &b": a second operand has an operator of its own */
		if (used && strchr("-&*!~", u->text[at]) && u->text[at] != op[used - 1])
			break;
		op[used++] = u->text[at++];
	}
	op[used] = '\0';
	if (n->kind == NODE_UNARY && used > 1 && op[0] != op[1])
		op[1] = '\0';
}

bool node_assigns(const struct unit *u, const struct node *n)
{
	char op[4];
	size_t length;

	if (n->kind != NODE_BINARY && n->kind != NODE_UNARY)
		return false;
	node_operator(u, n, op);
	length = strlen(op);
	if (n->kind == NODE_UNARY)
		return !strcmp(op, "++") || !strcmp(op, "--");
	return length && op[length - 1] == '=' && strcmp(op, "==") != 0 && strcmp(op, "!=") != 0 &&
	       strcmp(op, "<=") != 0 && strcmp(op, ">=") != 0;
}

struct node *unit_function(const struct unit *u, const char *name)
{
	for (size_t i = 0; name && i < u->nfunctions; i++)
		if (!strcmp(u->functions[i]->name, name))
			return u->functions[i];
	return NULL;
}

struct node *unit_function_at(const struct unit *u, uint32_t line)
{
	for (size_t i = 0; i < u->nfunctions; i++)
		if (u->functions[i]->line <= line && line <= u->functions[i]->last)
			return u->functions[i];
	return NULL;
}

uint32_t unit_line(const struct unit *u, uint32_t at)
{
	uint32_t line = 1;

	for (const char *p = u->text, *end = u->text + at; (p = memchr(p, '\n', (size_t)(end - p)));
	     p++)
		line++;
	return line;
}
