/* SPDX-License-Identifier: MIT
 *
 * A lock in an object protects the object itself. It also protects what is reached from there through
 * pointers, if nobody else gets there: that is so if a pointer in the object says what it is for the time
 * being, as the first node of a list, so that each range looks at a member which one of them changes.
 * Through a pointer that is never changed, as in the arguments of a thread, many objects may lead to one
 * place. Another object of the same structure has a lock of its own, so it must not be touched.
 */
#include "fix/reach.h"

#include "fix/address.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SEEN  64
#define MAX_NAMES 64
#define WHOLE     "*" /* the object as one */

struct names {
	const char *list[MAX_NAMES];
	unsigned n;
};

/* What a function knows the object as. */
struct view {
	const struct node *function;
	const char *object; /* id of a variable; NULL: none */
	bool self;          /* it is that of the method */
};

struct reach {
	const struct locks *l;
	const char *record;
	struct names touched, written; /* members of the object */
	bool beyond;                   /* memory behind pointers */
	bool wrong;                    /* of another object, or of none */
	struct view seen[MAX_SEEN];
	unsigned nseen;
};

enum place { PLACE_LOCAL, PLACE_OBJECT, PLACE_BEYOND };

static void add_name(struct names *names, const char *name)
{
	for (unsigned i = 0; i < names->n; i++)
		if (!strcmp(names->list[i], name))
			return;
	if (names->n < MAX_NAMES)
		names->list[names->n++] = name;
}

static bool have_common(const struct names *a, const struct names *b)
{
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (!strcmp(a->list[i], b->list[k]) || !strcmp(a->list[i], WHOLE) ||
			    !strcmp(b->list[k], WHOLE))
				return true;
	return false;
}

static bool is_this(const struct unit *u, const struct node *n)
{
	return n->kind == NODE_OTHER && !n->child && n->end - n->start == 4 &&
	       !strncmp(u->text + n->start, "this", 4);
}

/* Is it the object, or a pointer to it? */
static bool is_object(const struct reach *r, const struct view *v, struct node *n)
{
	char op[4] = "";

	n = node_strip(n);
	if (!n)
		return v->self;
	if (n->kind == NODE_UNARY)
		node_operator(r->l->u, n, op);
	if (op[0] == '&' || op[0] == '*')
		return is_object(r, v, n->child);
	return n->kind == NODE_REFERENCE ? v->object && n->id && !strcmp(n->id, v->object)
					 : v->self && is_this(r->l->u, n);
}

/* Where is it? *first: which member of the object. */
static enum place place_of(const struct reach *r, const struct view *v, struct node *n,
			   const struct node **first)
{
	struct node *below = node_strip(n->child);
	enum place place;

	switch (n->kind) {
	case NODE_REFERENCE:
		return is_object(r, v, n) && !type_is_pointer(n->type) ? PLACE_OBJECT : PLACE_LOCAL;
	case NODE_MEMBER:
		if (!below || type_is_pointer(below->type) || is_object(r, v, below)) {
			if (!is_object(r, v, below))
				return PLACE_BEYOND;
			*first = n;
			return PLACE_OBJECT;
		}
		place = place_of(r, v, below, first);
		if (place == PLACE_OBJECT && !*first)
			*first = n;
		return place;
	case NODE_SUBSCRIPT:
		return type_is_array(below ? below->type : NULL) ? place_of(r, v, below, first)
								 : PLACE_BEYOND;
	case NODE_UNARY:
		return is_object(r, v, below) ? PLACE_OBJECT : PLACE_BEYOND;
	default:
		return PLACE_BEYOND;
	}
}

static const struct node *user_of(const struct node *n)
{
	const struct node *p = n->parent;

	while (p && p->kind == NODE_OTHER && !p->child->next)
		p = p->parent;
	return p;
}

/* Is it assigned, or may it be through its address? */
static bool is_written(const struct unit *u, struct node *n)
{
	const struct node *user = user_of(n);
	char op[4] = "";

	if (!user)
		return false;
	if (user->kind == NODE_UNARY)
		node_operator(u, user, op);
	if (op[0] == '&' || (node_assigns(u, user) && node_strip(user->child) == n))
		return true;
	if (user->kind == NODE_MEMBER && !type_is_pointer(n->type))
		return is_written(u, (struct node *)user);
	if (!type_is_array(n->type))
		return false;
	return user->kind != NODE_SUBSCRIPT || is_written(u, (struct node *)user);
}

static bool is_of_record(const struct reach *r, const struct node *n)
{
	size_t length = strlen(r->record);
	const char *name = n->kind == NODE_MEMBER ? n->name : n->type;

	return name && !strncmp(name, r->record, length) &&
	       (name[length] == '.' || !name[length]);
}

static void touch(struct reach *r, const struct view *v, struct node *n)
{
	const struct node *first = NULL;
	const char *name;
	char op[4] = "";

	if (n->kind == NODE_UNARY)
		node_operator(r->l->u, n, op);
	if (n->kind == NODE_UNARY && op[0] != '*')
		return;
	if (n->kind == NODE_REFERENCE && n->global && !type_is_const(n->type) && !is_object(r, v, n)) {
		r->wrong = true;
		return;
	}
	switch (place_of(r, v, n, &first)) {
	case PLACE_OBJECT:
		name = first && first->name ? first->name : WHOLE;
		if (!first && n->kind == NODE_REFERENCE && user_of(n) &&
		    user_of(n)->kind == NODE_MEMBER)
			return; /* a part of it, which comes by itself */
		add_name(&r->touched, name);
		if (is_written(r->l->u, n))
			add_name(&r->written, name);
		return;
	case PLACE_BEYOND:
		r->beyond = true;
		r->wrong |= is_of_record(r, n);
		return;
	case PLACE_LOCAL:
		return;
	}
}

static void visit(struct reach *r, const struct view *v, struct node *n);

/* The member that a call names as its function: "object.method(...)". */
static struct node *method_of(const struct node *call)
{
	struct node *n = node_strip(call->child);

	return n && n->kind == NODE_MEMBER && n->start == call->start ? n : NULL;
}

static void enter(struct reach *r, const struct view *v, const struct node *call)
{
	struct node *f = unit_function(r->l->u, call->name), *method, *parameter, *given;
	struct view inner = { .function = f };

	if (!f)
		return;
	method = method_of(call);
	inner.self = f->id && is_object(r, v, method ? method->child : NULL);
	given = call->child && call->child->start == call->start ? call->child->next : call->child;
	for (parameter = f->child; parameter && given; parameter = parameter->next) {
		if (parameter->kind != NODE_VARIABLE || !parameter->parameter)
			continue;
		if (!inner.object && is_object(r, v, given))
			inner.object = parameter->id;
		given = given->next;
	}
	for (unsigned i = 0; i < r->nseen; i++)
		if (r->seen[i].function == f && r->seen[i].self == inner.self &&
		    r->seen[i].object == inner.object)
			return;
	if (r->nseen == MAX_SEEN) {
		r->wrong = true;
		return;
	}
	r->seen[r->nseen++] = inner;
	for (struct node *n = f; n; n = node_next(f, n))
		visit(r, &inner, n);
}

static bool is_method(const struct reach *r, const struct node *n)
{
	const struct node *user = user_of(n);

	return user && user->kind == NODE_CALL && method_of(user) == n &&
	       (r->l->u->cplusplus || unit_function(r->l->u, user->name));
}

static void visit(struct reach *r, const struct view *v, struct node *n)
{
	if (in_lock_operation(r->l, n))
		return;
	if (n->kind == NODE_CALL && n->name)
		enter(r, v, n);
	else if ((n->kind == NODE_MEMBER && !is_method(r, n)) || n->kind == NODE_SUBSCRIPT ||
		 n->kind == NODE_UNARY || n->kind == NODE_REFERENCE)
		touch(r, v, n);
}

static void look(struct reach *r, const struct range *range, const struct node *object)
{
	const struct view v = { range->function, object ? object->id : NULL, !object };

	r->touched.n = r->nseen = 0;
	r->beyond = false;
	for (struct node *n = range_next(range, NULL); n; n = range_next(range, n))
		visit(r, &v, n);
}

bool reach_one_object(const struct locks *l, const char *record, const struct range *list, uint32_t n,
		      const struct node *const *objects)
{
	struct reach r = { .l = l, .record = record };

	for (uint32_t i = 0; i < n; i++) {
		look(&r, &list[i], objects[i]);
		if (r.wrong || !r.touched.n)
			return false;
	}
	/* What is written is known now. */
	for (uint32_t i = 0; i < n; i++) {
		look(&r, &list[i], objects[i]);
		if (r.beyond && !have_common(&r.touched, &r.written))
			return false;
	}
	return true;
}
