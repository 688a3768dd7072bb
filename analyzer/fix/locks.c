/* SPDX-License-Identifier: MIT */
#include "fix/locks.h"
#include "fix/guard.h"

#include <stdlib.h>
#include <string.h>

static const struct family {
	const char *take, *take_shared, *release;
	const char *tries[4];
	const char *waits[4]; /* with the lock as second argument */
} families[] = {
	{ "pthread_mutex_lock",
	  NULL,
	  "pthread_mutex_unlock",
	  { "pthread_mutex_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock" },
	  { "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait" } },
	{ "pthread_rwlock_wrlock",
	  "pthread_rwlock_rdlock",
	  "pthread_rwlock_unlock",
	  { "pthread_rwlock_trywrlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedwrlock",
	    "pthread_rwlock_timedrdlock" },
	  { NULL } },
	{ "pthread_spin_lock", NULL, "pthread_spin_unlock", { "pthread_spin_trylock" }, { NULL } },
	{ "mtx_lock",
	  NULL,
	  "mtx_unlock",
	  { "mtx_trylock", "mtx_timedlock" },
	  { "cnd_wait", "cnd_timedwait" } },
	/* to the end of the scope */
	{ "lock_guard", NULL, "", { "try_to_lock" }, { NULL } },
};

#define NFAMILIES (sizeof families / sizeof *families)

static bool is_one_of(const char *name, const char *const *names)
{
	for (unsigned i = 0; i < 4 && names[i]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The arguments of a call: what stands in its parentheses. */
static char *arguments(const struct unit *u, const struct node *call)
{
	char *all = node_packed(u, call), *open = strpbrk(all, "({"), *text;
	size_t n = open ? strlen(open + 1) : 0;

	while (n && (open[n] == ';'))
		n--;
	text = xstrndup(open ? open + 1 : "", n && strchr(")}", open[n]) ? n - 1 : n);
	free(all);
	return text;
}

static char *shown_arguments(const struct unit *u, const struct node *call)
{
	const struct node *first = call->child, *last = first;

	if (first && first->start == call->start)
		first = first->next;
	for (last = first; last && last->next;)
		last = last->next;
	return first ? xstrndup(u->text + first->start, last->end - first->start) : xstrdup("");
}

static struct node *argument(const struct node *call, unsigned number)
{
	struct node *n = node_child(call, number);

	/* The first child is the function that is called. */
	if (n && call->child && call->child->start == call->start)
		n = n->next;
	return n;
}

struct node *lock_argument(const struct node *call)
{
	struct node *last = call->child;

	while (last && last->next)
		last = last->next;
	return last;
}

/* The innermost member, else the variable, that an argument names. */
static char *class_of(struct node *n)
{
	for (struct node *c = n; c; c = node_next(n, c)) {
		if (c->kind == NODE_MEMBER || (c->kind == NODE_REFERENCE && c->global))
			return xstrdup(c->name);
	}
	for (struct node *c = n; c; c = node_next(n, c))
		if (c->kind == NODE_REFERENCE && c->type)
			return xstrdup(c->type);
	return xstrdup("?");
}

static const struct family *family_taking(const char *name)
{
	if (guard_call(name))
		name = "lock_guard";
	for (size_t i = 0; i < NFAMILIES; i++)
		if (!strcmp(name, families[i].take) ||
		    (families[i].take_shared && !strcmp(name, families[i].take_shared)))
			return &families[i];
	return NULL;
}

enum lock_call lock_call(const struct locks *l, const struct lock *lock, const struct node *call)
{
	enum lock_call what = CALL_NONE;
	const struct family *f = family_taking(lock->take);
	struct node *first;
	char *text;
	bool same;

	if (call->kind != NODE_CALL || !call->name)
		return CALL_NONE;
	if (!strcmp(call->name, lock->release))
		what = CALL_RELEASE;
	else if (!strcmp(call->name, lock->take) ||
		 (guard_call(call->name) && guard_call(lock->take)))
		what = CALL_TAKE;
	else if (lock->take_shared && !strcmp(call->name, lock->take_shared))
		what = CALL_TAKE_SHARED;
	else if (f && is_one_of(call->name, f->tries))
		what = CALL_TRY;
	else if (f && is_one_of(call->name, f->waits))
		what = CALL_WAIT;
	else
		return CALL_NONE;
	if (what == CALL_TRY || what == CALL_WAIT) {
		first = argument(call, what == CALL_WAIT);
		text = first ? node_packed(l->u, first) : xstrdup("");
	} else {
		text = arguments(l->u, call);
	}
	same = !strcmp(text, lock->text);
	free(text);
	return same ? what : CALL_NONE;
}

static void add_lock(struct locks *l, const struct node *function, struct node *call)
{
	const struct family *f = family_taking(call->name);
	struct lock lock = { .function = function };
	const struct wrapper *w = NULL;

	for (size_t i = 0; !f && i < l->nwrappers; i++)
		if (!strcmp(l->wrappers[i].take, call->name))
			w = &l->wrappers[i];
	if (!f && !w)
		return;
	lock.take = (char *)(f ? f->take : w->take);
	lock.text = arguments(l->u, call);
	for (size_t i = 0; i < l->n; i++) {
		if (l->list[i].function == function && !strcmp(l->list[i].take, lock.take) &&
		    !strcmp(l->list[i].text, lock.text)) {
			free(lock.text);
			return;
		}
	}
	lock.take = xstrdup(lock.take);
	lock.take_shared = f && f->take_shared ? xstrdup(f->take_shared) : NULL;
	lock.release = xstrdup(f ? f->release : w->release);
	lock.shown = shown_arguments(l->u, call);
	lock.argument = argument(call, 0);
	lock.class = w ? xstrdup(w->class) : lock.argument ? class_of(lock.argument) : xstrdup("?");
	VEC_GROW(l->list, l->n, l->capacity);
	l->list[l->n++] = lock;
}

static void add_locks(struct locks *l, struct node *function)
{
	for (struct node *n = function; n; n = node_next(function, n))
		if (n->kind == NODE_CALL && n->name)
			add_lock(l, function, n);
}

static bool calls(const struct node *function, const char *name)
{
	for (struct node *n = (struct node *)function; n; n = node_next(function, n))
		if (n->kind == NODE_CALL && n->name && !strcmp(n->name, name))
			return true;
	return false;
}

/* A function that takes locks and gives none back, and the one that does it for the same. */
static void find_wrappers(struct locks *l)
{
	struct unit *u = l->u;
	size_t n = l->n;

	for (size_t i = 0; i < n; i++) {
		const struct lock *lock = &l->list[i];
		const struct node *take = lock->function, *release = NULL;

		if (calls(take, lock->release))
			continue;
		for (size_t k = 0; k < u->nfunctions && !release; k++) {
			const struct node *f = u->functions[k];
			bool same = false;

			if (!calls(f, lock->release) || calls(f, lock->take) ||
			    (lock->take_shared && calls(f, lock->take_shared)))
				continue;
			for (struct node *c = (struct node *)f; c; c = node_next(f, c)) {
				char *class = c->kind == NODE_CALL && argument(c, 0)
						      ? class_of(argument(c, 0))
						      : NULL;

				same |= class && !strcmp(class, lock->class);
				free(class);
			}
			if (same)
				release = f;
		}
		for (size_t k = 0; release && k < l->nwrappers; k++)
			if (!strcmp(l->wrappers[k].take, take->name))
				release = NULL;
		if (!release)
			continue;
		VEC_GROW(l->wrappers, l->nwrappers, l->wrappers_capacity);
		l->wrappers[l->nwrappers++] =
			(struct wrapper){ take->name, release->name, xstrdup(lock->class) };
	}
}

void locks_find(struct unit *u, struct locks *l)
{
	*l = (struct locks){ .u = u };
	for (size_t i = 0; i < u->nfunctions; i++)
		add_locks(l, u->functions[i]);
	find_wrappers(l);
	for (size_t i = 0; l->nwrappers && i < u->nfunctions; i++)
		add_locks(l, u->functions[i]);
}

void locks_free(struct locks *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->list[i].take);
		free(l->list[i].take_shared);
		free(l->list[i].release);
		free(l->list[i].text);
		free(l->list[i].shown);
		free(l->list[i].class);
	}
	for (size_t i = 0; i < l->nwrappers; i++)
		free(l->wrappers[i].class);
	free(l->list);
	free(l->wrappers);
	*l = (struct locks){ 0 };
}

/* The state along the ways through a function. */
struct flow {
	const struct locks *l;
	const struct lock *lock;
	uint8_t left, again; /* by break, by continue, of the innermost loop or switch */
	uint8_t entered;     /* state in which the cases of the innermost switch begin */
	struct {
		const char *name;
		uint8_t state;
	} labels[32];
	unsigned nlabels;
};

static uint8_t merge(uint8_t a, uint8_t b)
{
	if (a == HELD_NEVER || a == b)
		return b;
	return b == HELD_NEVER ? a : HELD_UNKNOWN;
}

static uint8_t *label_state(struct flow *f, const char *name)
{
	for (unsigned i = 0; i < f->nlabels; i++)
		if (!strcmp(f->labels[i].name, name))
			return &f->labels[i].state;
	if (f->nlabels == 32)
		return &f->labels[31].state;
	f->labels[f->nlabels].name = name;
	f->labels[f->nlabels].state = HELD_NEVER;
	return &f->labels[f->nlabels++].state;
}

static bool ends_here(const char *name)
{
	static const char *const names[4] = { "abort", "exit", "_exit", "__assert_fail" };

	return is_one_of(name, names);
}

static uint8_t walk(struct flow *f, struct node *n, uint8_t s);

static uint8_t walk_children(struct flow *f, struct node *n, uint8_t s)
{
	for (struct node *c = n->child; c; c = c->next)
		s = walk(f, c, s);
	return s;
}

static uint8_t walk_loop(struct flow *f, struct node *n, uint8_t s)
{
	uint8_t left = f->left, again = f->again, out = HELD_NEVER;

	/* Twice: what the first round ends with, the second one begins with. */
	for (unsigned round = 0; round < 2; round++) {
		uint8_t end = s;

		f->left = f->again = HELD_NEVER;
		for (struct node *c = n->child; c; c = c->next) {
			end = walk(f, c, end);
			if (n->kind == NODE_DO && c == n->child)
				end = merge(end, f->again);
		}
		end = merge(end, f->again);
		out = merge(n->kind == NODE_DO ? end : merge(s, end), f->left);
		s = merge(s, end);
	}
	f->left = left;
	f->again = again;
	return out;
}

static uint8_t walk_call(struct flow *f, struct node *n, uint8_t s)
{
	s = walk_children(f, n, s);
	switch (lock_call(f->l, f->lock, n)) {
	case CALL_TAKE:
		return s == HELD_NEVER ? s : HELD_YES;
	case CALL_TAKE_SHARED:
		return s == HELD_NEVER ? s : HELD_SHARED;
	case CALL_RELEASE:
		return s == HELD_NEVER ? s : HELD_NO;
	case CALL_TRY:
		return s == HELD_NEVER ? s : HELD_UNKNOWN;
	default:
		return n->name && ends_here(n->name) ? HELD_NEVER : s;
	}
}

static uint8_t walk_switch(struct flow *f, struct node *n, uint8_t s)
{
	uint8_t left = f->left, entered = f->entered, out;

	f->left = HELD_NEVER;
	f->entered = walk(f, n->child, s);
	out = walk(f, node_body(n), HELD_NEVER);
	out = merge(merge(out, f->left), f->entered);
	f->left = left;
	f->entered = entered;
	return out;
}

/* Does a guard of the lock end with the scope? */
static bool ends_guard(const struct flow *f, const struct node *scope)
{
	if (!f->l->u->cplusplus)
		return false;
	for (struct node *s = scope->child; s; s = s->next)
		for (struct node *n = s; s->kind == NODE_DECLARATION && n; n = node_next(s, n))
			if (n->kind == NODE_CALL && guard_call(n->name) &&
			    lock_call(f->l, f->lock, n) == CALL_TAKE)
				return true;
	return false;
}

static uint8_t walk_kind(struct flow *f, struct node *n, uint8_t s)
{
	uint8_t a, b, *label;

	switch (n->kind) {
	case NODE_IF:
		s = walk(f, n->child, s);
		a = n->child && n->child->next ? walk(f, n->child->next, s) : s;
		b = node_child(n, 2) ? walk(f, node_child(n, 2), s) : s;
		return merge(a, b);
	case NODE_WHILE:
	case NODE_DO:
	case NODE_FOR:
		return walk_loop(f, n, s);
	case NODE_SWITCH:
		return walk_switch(f, n, s);
	case NODE_COMPOUND:
		s = walk_children(f, n, s);
		return s != HELD_NEVER && ends_guard(f, n) ? HELD_NO : s;
	case NODE_CASE:
		return walk_children(f, n, merge(s, f->entered));
	case NODE_LABEL:
		return walk_children(f, n, merge(s, *label_state(f, n->name)));
	case NODE_GOTO:
		label = label_state(f, n->child ? n->child->name : n->name);
		*label = merge(*label, s);
		return HELD_NEVER;
	case NODE_BREAK:
		f->left = merge(f->left, s);
		return HELD_NEVER;
	case NODE_CONTINUE:
		f->again = merge(f->again, s);
		return HELD_NEVER;
	case NODE_RETURN:
		walk_children(f, n, s);
		return HELD_NEVER;
	case NODE_CALL:
		return walk_call(f, n, s);
	default:
		return walk_children(f, n, s);
	}
}

static uint8_t walk(struct flow *f, struct node *n, uint8_t s)
{
	n->before = s;
	n->after = walk_kind(f, n, s);
	return n->after;
}

void lock_flow(const struct locks *l, const struct lock *lock, struct node *function)
{
	struct flow f = { .l = l, .lock = lock };

	/* Twice, for jumps back. */
	walk(&f, function, HELD_NO);
	walk(&f, function, HELD_NO);
}
