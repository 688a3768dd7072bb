/* SPDX-License-Identifier: MIT */
#include "fix/address.h"

#include <string.h>

struct reading {
	const struct unit *u;
	bool (*found)(const struct node *n, void *data);
	void *data;
};

bool type_is_array(const char *type)
{
	size_t n = type ? strlen(type) : 0;

	return n && type[n - 1] == ']';
}

bool type_is_pointer(const char *type)
{
	const char *star = type ? strrchr(type, '*') : NULL;

	return star && !strpbrk(star, "])");
}

bool type_is_const(const char *type)
{
	size_t n = type ? strlen(type) : 0;

	if (type_is_pointer(type))
		return n > 5 && !strcmp(type + n - 5, "const");
	return n && !strncmp(type, "const ", 6);
}

static bool reads_value(const struct reading *r, struct node *n);

/* What has to be known to find the object. */
static bool reads_place(const struct reading *r, struct node *n)
{
	struct node *below;

	n = node_strip(n);
	below = n ? node_strip(n->child) : NULL;
	if (!n)
		return false;
	switch (n->kind) {
	case NODE_REFERENCE:
		return false;
	case NODE_MEMBER:
		return type_is_pointer(below ? below->type : NULL) ? reads_value(r, below)
								   : reads_place(r, below);
	case NODE_SUBSCRIPT:
		if (below && reads_value(r, below->next))
			return true;
		return type_is_array(below ? below->type : NULL) ? reads_place(r, below)
								 : reads_value(r, below);
	case NODE_UNARY: /* what a pointer points to */
		return reads_value(r, below);
	default:
		return reads_value(r, n);
	}
}

static bool reads_value(const struct reading *r, struct node *n)
{
	char op[4] = "";

	n = node_strip(n);
	if (!n)
		return false;
	if (n->kind == NODE_UNARY)
		node_operator(r->u, n, op);
	if (op[0] == '&')
		return reads_place(r, n->child);
	if (n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT || op[0] == '*' ||
	    (n->kind == NODE_REFERENCE && n->global)) {
		if (!type_is_array(n->type) && !type_is_const(n->type) && r->found(n, r->data))
			return true;
		return reads_place(r, n);
	}
	if (n->kind == NODE_CALL && r->found(n, r->data))
		return true;
	for (struct node *c = n->child; c; c = c->next)
		if (reads_value(r, c))
			return true;
	return false;
}

bool address_reads(const struct unit *u, struct node *expression,
		   bool (*found)(const struct node *n, void *data), void *data)
{
	const struct reading r = { u, found, data };
	bool points = expression && (type_is_pointer(expression->type) ||
				     type_is_array(expression->type));

	return points ? reads_value(&r, expression) : reads_place(&r, expression);
}
