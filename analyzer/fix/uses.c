/* SPDX-License-Identifier: MIT
 *
 * What statements do to memory that others may see, in functions of the file that they call, too.
 */
#include "fix/guard.h"
#include "fix/locks.h"

#include <stdlib.h>
#include <string.h>

struct use {
	const struct locks *l;
	bool (*found)(const char *name, void *data);
	void *data;
	const struct node *seen[64]; /* functions */
	unsigned nseen;
	bool writes; /* look for changes of memory instead */
	const char *written; /* only of this member or variable; NULL: of any that others may see */
};

static bool is_lock_operation(const struct locks *l, const struct node *call)
{
	for (size_t i = 0; i < l->nwrappers; i++)
		if (!strcmp(call->name, l->wrappers[i].take) ||
		    !strcmp(call->name, l->wrappers[i].release))
			return true;
	return guard_call(call->name) || !strncmp(call->name, "pthread_", 8) || !strncmp(call->name, "mtx_", 4) ||
	       !strncmp(call->name, "cnd_", 4);
}

bool in_lock_operation(const struct locks *l, const struct node *n)
{
	for (; n; n = n->parent)
		if (n->kind == NODE_CALL && n->name && is_lock_operation(l, n))
			return true;
	return false;
}

/* Is it memory of its own: a local variable, and no way to somewhere else? */
static bool is_local(struct node *n)
{
	n = node_strip(n);
	return n && ((n->kind == NODE_REFERENCE && !n->global) || n->kind == NODE_VARIABLE);
}

/* Does it change the member or variable, or give its address away? */
static bool changes_name(const struct unit *u, const struct node *n, const char *name)
{
	const struct node *target = node_strip(n->child);
	bool assigns = node_assigns(u, n);
	size_t length;
	char op[4] = "";

	if (n->kind == NODE_UNARY)
		node_operator(u, n, op);
	if (!target || (!assigns && op[0] != '&'))
		return false;
	if ((target->kind == NODE_MEMBER || (target->kind == NODE_REFERENCE && target->global)) &&
	    target->name && !strcmp(target->name, name))
		return true;
	/* all of a structure */
	length = target->type ? strlen(target->type) : 0;
	return assigns && length && !strncmp(target->type, name, length) && name[length] == '.';
}

static bool use_function(struct use *s, const struct node *call);

static bool use_node(struct use *s, struct node *n)
{
	if (in_lock_operation(s->l, n))
		return false;
	if (n->kind == NODE_CALL && n->name && use_function(s, n))
		return true;
	if (s->written)
		return changes_name(s->l->u, n, s->written);
	if (s->writes)
		return node_assigns(s->l->u, n) && !is_local(n->child);
	return (n->kind == NODE_MEMBER || (n->kind == NODE_REFERENCE && n->global)) && n->name &&
	       *n->name && s->found(n->name, s->data);
}

static bool use_function(struct use *s, const struct node *call)
{
	struct node *f = unit_function(s->l->u, call->name);

	if (!f)
		return s->writes && !s->written && !strncmp(call->name, "atomic_", 7) &&
		       !strstr(call->name, "load");
	for (unsigned i = 0; i < s->nseen; i++)
		if (s->seen[i] == f)
			return false;
	if (s->nseen == 64)
		return false;
	s->seen[s->nseen++] = f;
	for (struct node *n = f; n; n = node_next(f, n))
		if (use_node(s, n))
			return true;
	return false;
}

bool range_uses(const struct locks *l, const struct range *r,
		bool (*found)(const char *name, void *data), void *data)
{
	struct use s = { .l = l, .found = found, .data = data };

	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n))
		if (use_node(&s, n))
			return true;
	return false;
}

bool range_writes(const struct locks *l, const struct range *r, const char *name)
{
	struct use s = { .l = l, .writes = true, .written = name };

	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n))
		if (use_node(&s, n))
			return true;
	return false;
}

bool lock_protects(const struct locks *l, const struct lock *lock, const struct range *outside,
		   const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct lock *other = &l->list[i];
		struct node *f = (struct node *)other->function;

		if (strcmp(other->class, lock->class) != 0)
			continue;
		lock_flow(l, other, f);
		for (struct node *n = f; n; n = node_next(f, n)) {
			if ((n->before == HELD_YES || n->before == HELD_SHARED) &&
			    (n->kind == NODE_MEMBER || n->kind == NODE_REFERENCE) && n->name &&
			    !strcmp(n->name, name) && !range_has(outside, n) &&
			    !in_lock_operation(l, n))
				return true;
		}
	}
	return false;
}

bool lock_guards(const struct locks *l, const char *class, const char *name)
{
	struct use s = { .l = l, .writes = true, .written = name };

	for (size_t i = 0; i < l->n; i++) {
		struct node *f = (struct node *)l->list[i].function;

		if (strcmp(l->list[i].class, class) != 0)
			continue;
		lock_flow(l, &l->list[i], f);
		for (struct node *n = f; n; n = node_next(f, n))
			if (n->before != HELD_NO && n->before != HELD_NEVER && use_node(&s, n))
				return true;
	}
	return false;
}

bool range_changes(const struct unit *u, const struct range *r, const char *id)
{
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n)) {
		struct node *target;
		char op[4] = "";

		if (n->kind == NODE_VARIABLE && n->id && !strcmp(n->id, id))
			return true;
		if (n->kind == NODE_UNARY)
			node_operator(u, n, op);
		if (!node_assigns(u, n) && op[0] != '&')
			continue;
		target = node_strip(n->child);
		while (op[0] != '&' && target && target->kind == NODE_MEMBER && target->child &&
		       !strchr(target->child->type ? target->child->type : "", '*'))
			target = node_strip(target->child);
		if (target && target->kind == NODE_REFERENCE && target->id &&
		    !strcmp(target->id, id))
			return true;
	}
	return false;
}
