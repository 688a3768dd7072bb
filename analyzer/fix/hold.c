/* SPDX-License-Identifier: MIT */
#include "fix/hold.h"
#include "fix/address.h"
#include "fix/guard.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct holding {
	const struct locks *l;
	const struct unit *u;
	const struct lock *lock;
	const struct range *r;
	struct edits *edits;
	char *take, *release;       /* statements */
	char *condition;            /* of the preprocessor, that the lock call was in */
	const struct node *removed; /* lock call */
	bool shared, changed;
};

static int refuse(const struct holding *h, struct error *e, uint32_t line, const char *why)
{
	return error_set(e, "%s:%u: %s", h->u->path, line, why);
}

/* Is the call a statement of its own? */
static struct node *statement_of(struct node *call)
{
	struct node *n = call;

	while (n && !node_is_statement(n))
		n = n->parent;
	return n && node_strip(n) == call ? n : NULL;
}

static struct node *next_statement(const struct node *n)
{
	return n->next && n->parent->kind == NODE_COMPOUND ? n->next : NULL;
}

static struct node *previous_statement(const struct node *n)
{
	struct node *p = n->parent ? n->parent->child : NULL;

	if (!p || n->parent->kind != NODE_COMPOUND)
		return NULL;
	while (p && p->next != n)
		p = p->next;
	return p;
}

/* Does the value of a return look at memory that others may change? */
static bool looks(const struct holding *h, const struct node *exit)
{
	for (struct node *n = exit->kind == NODE_RETURN ? exit->child : NULL; n;
	     n = node_next(exit, n)) {
		char op[4] = "";

		if (n->kind == NODE_UNARY)
			node_operator(h->u, n, op);
		if (n->kind == NODE_CALL || n->kind == NODE_MEMBER || n->kind == NODE_SUBSCRIPT ||
		    (n->kind == NODE_REFERENCE && n->global) || op[0] == '*')
			return true;
	}
	return false;
}

static bool in_block(const struct holding *h, const struct node *n)
{
	return n->line <= h->r->to && n->last >= h->r->from;
}

/* A release stays if control leaves right behind it. */
static bool stays(const struct holding *h, const struct node *release)
{
	const struct node *next = next_statement(release);

	if (release == h->r->last)
		return true;
	return next && range_has(h->r, next) && range_is_exit(h->r, next) &&
	       !(looks(h, next) && in_block(h, next));
}

static int change_call(struct holding *h, struct node *call, enum lock_call what, struct error *e)
{
	struct node *s = statement_of(call);
	char *condition;

	if (what == CALL_TRY)
		return refuse(h, e, call->line, "the lock is only tried here");
	if (what == CALL_WAIT || call->before == HELD_NEVER)
		return 0;
	if (!s)
		return refuse(h, e, call->line, "what the lock call returns is used here");
	if (call->before == HELD_UNKNOWN)
		return refuse(h, e, call->line, "whether the lock is held here is not clear");
	if (what == CALL_RELEASE && stays(h, s))
		return 0;
	edit_remove(h->edits, h->u, s, &condition);
	if (what != CALL_RELEASE && !h->removed)
		h->removed = s;
	if (condition && what != CALL_RELEASE && !h->condition)
		h->condition = condition;
	else
		free(condition);
	h->changed = true;
	return 0;
}

static char *unused_name(const struct holding *h)
{
	char *body = node_text(h->u, h->r->function);
	const char *name = strstr(body, "result") ? "held_result" : "result";

	free(body);
	return xstrdup(name);
}

/* The value first, then the release. */
static void leave_with_value(struct holding *h, const struct node *exit)
{
	char *indent = edit_indent(h->u, exit->start), *name = unused_name(h);
	char *value = node_text(h->u, exit->child), *both;
	bool star = h->r->function->type[strlen(h->r->function->type) - 1] == '*';

	both = xasprintf("%s%s%s = %s;\n%s%s", h->r->function->type, star ? "" : " ", name, value,
			 indent, h->release);
	edit_exit(h->edits, h->u, exit, both);
	edit_replace(h->edits, exit->start, exit->end, xasprintf("return %s;", name));
	free(both);
	free(value);
	free(name);
	free(indent);
}

static int change_exit(struct holding *h, const struct node *exit, struct error *e)
{
	const struct node *before = previous_statement(exit);
	struct node *call = before ? node_strip((struct node *)before) : NULL;

	if (exit->before != HELD_NO)
		return exit->before == HELD_UNKNOWN
			       ? refuse(h, e, exit->line,
					"whether the lock is held here is not clear")
			       : 0;
	if (call && range_has(h->r, before) && lock_call(h->l, h->lock, call) == CALL_RELEASE &&
	    stays(h, before))
		return 0;
	if (looks(h, exit))
		leave_with_value(h, exit);
	else
		edit_exit(h->edits, h->u, exit, h->release);
	h->changed = true;
	return 0;
}

static int change_end(struct holding *h, struct error *e)
{
	struct node *last = h->r->last;

	switch (last->after) {
	case HELD_UNKNOWN:
		return refuse(h, e, last->last,
			      "whether the lock is held behind the block is not clear");
	case HELD_NO:
		if (lock_call(h->l, h->lock, node_strip(last)) == CALL_RELEASE)
			return 0;
		edit_behind(h->edits, h->u, last, h->r->first->start, h->release);
		h->changed = true;
		return 0;
	default:
		return 0;
	}
}

static void change_begin(struct holding *h)
{
	const struct node *first = h->r->first;
	char *line, *indent;

	if (first->before != HELD_NO)
		return;
	if (h->condition) {
		indent = edit_indent(h->u, first->start);
		line = xasprintf("%s%s\n", indent, h->take);
		edit_replace(h->edits, edit_line_start(h->u, first->start),
			     edit_line_start(h->u, first->start), xasprintf(h->condition, line));
		free(line);
		free(indent);
	} else {
		bool here = h->removed && edit_same_condition(h->u, first, h->removed);

		edit_before(h->edits, h->u, first, here ? first->end : h->r->last->end, h->take);
	}
	h->changed = true;
}

static struct node *declaration_of(const struct node *function, const char *id)
{
	for (struct node *n = (struct node *)function; n; n = node_next(function, n))
		if (n->kind == NODE_VARIABLE && n->id && !strcmp(n->id, id))
			return n;
	return NULL;
}

struct naming {
	const struct holding *h;
	struct error *e;
};

static bool changes_inside(const struct node *n, void *data)
{
	const struct naming *naming = data;
	const struct holding *h = naming->h;
	char *text;

	if (!range_writes(h->l, h->r, n->name))
		return false;
	text = node_text(h->u, n);
	error_set(naming->e, "%s:%u: %s, of which the lock is, changes inside the block", h->u->path,
		  h->r->from, text);
	free(text);
	return true;
}

/* Does the lock mean the same at the beginning, and at each way out? */
static int check_names(const struct holding *h, struct error *e)
{
	struct node *argument = h->lock->argument;
	struct naming naming = { h, e };

	if (address_reads(h->u, argument, changes_inside, &naming))
		return -1;
	for (struct node *n = argument; n; n = node_next(argument, n)) {
		struct node *d, *scope;

		if (n->kind != NODE_REFERENCE || n->global || !n->id)
			continue;
		if (range_changes(h->u, h->r, n->id))
			return error_set(
				e, "%s:%u: %s, of which the lock is, changes inside the block",
				h->u->path, h->r->from, n->name);
		d = declaration_of(h->r->function, n->id);
		scope = d ? d->parent : NULL;
		while (scope && scope->kind != NODE_COMPOUND && scope->kind != NODE_FUNCTION)
			scope = scope->parent;
		if (!d || d->start > h->r->first->start || !node_inside(h->r->first, scope))
			return error_set(e, "%s:%u: %s, of which the lock is, is not known yet",
					 h->u->path, h->r->from, n->name);
	}
	return 0;
}

/* Is it a method of an object of the standard library? `get` waits only for what is to come. */
static bool is_standard(const struct node *call)
{
	const char *type = NULL, *name;

	for (struct node *n = (struct node *)call; n && !type; n = node_next(call, n))
		if (n->kind == NODE_MEMBER && n->child)
			type = n->child->type;
	name = type && strcmp(call->name, "get") == 0 ? strstr(type, "future") : type;
	return name && strstr(type, "std::") && (name == type || (size_t)(name - type) < strcspn(type, "<"));
}

static bool waits(const struct holding *h, const struct node *call)
{
	static const char *const names[] = { "pthread_join",      "pthread_barrier_wait",
					     "sem_wait",          "thrd_join",
					     "pthread_cond_wait", "pthread_cond_timedwait",
					     "cnd_wait",          NULL };
	/* of std::condition_variable, std::thread, std::future, std::counting_semaphore, ... */
	static const char *const methods[] = { "wait",    "wait_for", "wait_until",      "join",
					       "acquire", "get",      "arrive_and_wait", NULL };

	for (size_t i = 0; call->name && names[i]; i++)
		if (!strcmp(call->name, names[i]))
			return lock_call(h->l, h->lock, call) != CALL_WAIT;
	for (size_t i = 0; h->u->cplusplus && call->name && methods[i]; i++)
		if (!strcmp(call->name, methods[i]) && is_standard(call))
			return true;
	return false;
}

static int check_waits(const struct holding *h, struct error *e)
{
	for (struct node *n = range_next(h->r, NULL); n; n = range_next(h->r, n)) {
		const struct node *f;

		if (n->kind != NODE_CALL)
			continue;
		if (waits(h, n))
			return error_set(
				e,
				"%s:%u: the block waits inside (%s), and would keep others "
				"from ending that",
				h->u->path, n->line, n->name);
		f = unit_function(h->u, n->name);
		for (struct node *c = (struct node *)f; c; c = node_next(f, c))
			if (c->kind == NODE_CALL && waits(h, c))
				return error_set(e,
						 "%s:%u: the block waits inside (%s in %s), and "
						 "would keep others from ending that",
						 h->u->path, c->line, c->name, n->name);
	}
	return 0;
}

static int choose_mode(struct holding *h, struct error *e)
{
	bool taken = false, writes = range_writes(h->l, h->r, NULL);

	for (struct node *n = range_next(h->r, NULL); n; n = range_next(h->r, n))
		taken |= lock_call(h->l, h->lock, n) == CALL_TAKE;
	if (h->r->first->before == HELD_SHARED && writes)
		return refuse(h, e, h->r->from,
			      "the lock is held for reading only, and the block writes");
	h->shared = h->lock->take_shared && !taken && !writes;
	return 0;
}

/* A guard releases the lock on every way out, exceptions too; it holds it to the end of a scope. */
static int guard(struct holding *h, struct error *e)
{
	struct range held = *h->r;

	if (strcmp(h->lock->take, "lock_guard") != 0)
		return refuse(h, e, h->r->from,
			      "an exception could leave the block with the lock held; a guard "
			      "(std::lock_guard) would release it");
	if (h->r->first->before == HELD_YES)
		return refuse(h, e, h->r->from, "the lock is held there already");
	if (guard_range(h->l, h->lock, &held, h->edits, &h->changed, e) < 0)
		return -1;
	h->r = &held;
	return check_waits(h, e);
}

static int hold(struct holding *h, bool fresh, struct error *e)
{
	char *why;

	if (h->r->first->before == HELD_UNKNOWN)
		return refuse(h, e, h->r->from, "whether the lock is held here is not clear");
	if (check_names(h, e) < 0 || check_waits(h, e) < 0 || choose_mode(h, e) < 0)
		return -1;
	if (order_breaks(h->l, fresh ? NULL : h->lock, h->lock->class, h->r, &why)) {
		error_set(e, "%s:%u: %s", h->u->path, h->r->from, why);
		free(why);
		return -1;
	}
	lock_flow(h->l, h->lock, h->r->function);
	if (h->u->cplusplus)
		return guard(h, e);
	h->take = xasprintf("%s(%s);", h->shared ? h->lock->take_shared : h->lock->take,
			    h->lock->shown);
	h->release = xasprintf("%s(%s);", h->lock->release, h->lock->shown);
	for (struct node *n = range_next(h->r, NULL); n; n = range_next(h->r, n)) {
		enum lock_call what = lock_call(h->l, h->lock, n);

		if (what != CALL_NONE && change_call(h, n, what, e) < 0)
			return -1;
		if (range_is_exit(h->r, n) && change_exit(h, n, e) < 0)
			return -1;
	}
	change_begin(h);
	if (change_end(h, e) < 0)
		return -1;
	if (!h->changed)
		return refuse(h, e, h->r->from, "the lock is held there already");
	return 0;
}

int hold_range(const struct locks *l, const struct lock *lock, bool fresh, const struct range *r,
	       struct edits *edits, struct hold *how, struct error *e)
{
	struct holding h = { .l = l, .u = l->u, .lock = lock, .r = r, .edits = edits };
	int result;

	lock_flow(l, lock, r->function);
	how->widened = false;
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n))
		how->widened |= lock_call(l, lock, n) != CALL_NONE;
	how->widened |= r->first->before == HELD_YES || r->first->before == HELD_SHARED;
	result = hold(&h, fresh, e);
	how->shared = h.shared;
	free(h.take);
	free(h.release);
	free(h.condition);
	return result;
}

/* The variable that the lock is of: the first one in its argument. */
static const struct node *root_of(const struct lock *lock)
{
	for (struct node *n = lock->argument; n; n = node_next(lock->argument, n))
		if (n->kind == NODE_REFERENCE)
			return n;
	return NULL;
}

static char *renamed(const char *text, const char *from, const char *to)
{
	size_t n = strlen(from);
	char *result = NULL;
	size_t size;
	FILE *f = open_memstream(&result, &size);

	for (const char *p = text; f && *p;) {
		bool word = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_' ||
					 p[-1] == '.' || p[-1] == '>');

		if (!word && !strncmp(p, from, n) && !isalnum((unsigned char)p[n]) && p[n] != '_') {
			fputs(to, f);
			p += n;
		} else {
			fputc(*p++, f);
		}
	}
	if (f)
		fclose(f);
	return result ? result : xstrdup(text);
}

bool lock_translate(const struct locks *l, const struct lock *from, const struct range *r,
		    struct lock *to)
{
	const struct node *root = root_of(from), *found = NULL;

	if (!root)
		return false;
	for (struct node *n = r->function; !root->global && n; n = node_next(r->function, n)) {
		if (n->kind == NODE_VARIABLE && n->type && root->type &&
		    n->start < r->first->start && !strcmp(n->type, root->type) &&
		    !range_changes(l->u, r, n->id) &&
		    (n->parameter || node_inside(r->first, n->parent->parent)) &&
		    (!found || (n->parameter && !found->parameter)))
			found = n;
	}
	if (!root->global && !found)
		return false;
	*to = (struct lock){
		.take = xstrdup(from->take),
		.take_shared = from->take_shared ? xstrdup(from->take_shared) : NULL,
		.release = xstrdup(from->release),
		.class = xstrdup(from->class),
		.text = found ? renamed(from->text, root->name, found->name) : xstrdup(from->text),
		.shown = found ? renamed(from->shown, root->name, found->name)
			       : xstrdup(from->shown),
		.function = r->function,
	};
	return true;
}

void lock_clear(struct lock *lock)
{
	free(lock->take);
	free(lock->take_shared);
	free(lock->release);
	free(lock->class);
	free(lock->text);
	free(lock->shown);
	*lock = (struct lock){ 0 };
}
