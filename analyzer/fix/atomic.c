/* SPDX-License-Identifier: MIT
 *
 * What is known: n++, n += k, n = n + k; v = n, n = f(v); if (n == a) n = b. Types that are atomic
 * already get the functions of stdatomic.h, others the builtins of the compiler.
 */
#include "fix/atomic.h"

#include <stdlib.h>
#include <string.h>

struct word {
	const struct unit *u;
	struct node *node; /* one access to it */
	char *text, *packed;
	bool is_atomic; /* by its type */
};

static bool is_shared(struct node *n)
{
	return n->kind == NODE_MEMBER || (n->kind == NODE_REFERENCE && n->global);
}

/* The whole lvalue: "stack->items[i]" from "stack->items". */
static struct node *whole(struct node *n)
{
	while (n->parent &&
	       ((n->parent->kind == NODE_SUBSCRIPT && node_inside(n, n->parent->child)) ||
		(n->parent->kind == NODE_MEMBER) ||
		(n->parent->kind == NODE_OTHER && n->parent->start == n->start &&
		 n->parent->end == n->end)))
		n = n->parent;
	return n;
}

static bool type_fits(const char *type)
{
	static const char *const words[] = { "int",   "long", "short", "char", "unsigned", "signed",
					     "_Bool", "bool", "enum",  "*",    NULL };

	if (!type || strchr(type, '[') || strchr(type, '(') ||
	    (!strncmp(type, "struct", 6) && !strchr(type, '*')))
		return !strncmp(type ? type : "", "_Atomic(", 8);
	for (size_t i = 0; words[i]; i++)
		if (strstr(type, words[i]))
			return !strstr(type, "__int128");
	return false;
}

static bool word_init(struct word *w, const struct unit *u, struct node *n, struct error *e)
{
	n = node_strip(n);
	*w = (struct word){ .u = u, .node = n };
	if (!n)
		return false;
	if (n->bits) {
		error_set(e, "%s:%u: %s is a bit-field, for which there is no atomic operation",
			  u->path, n->line, n->name);
		return false;
	}
	if (!type_fits(n->type)) {
		error_set(e, "%s:%u: a value of the type %s is not changed by one atomic operation",
			  u->path, n->line, n->type ? n->type : "?");
		return false;
	}
	w->is_atomic = strstr(n->type, "_Atomic") != NULL;
	w->text = node_text(u, n);
	w->packed = node_packed(u, n);
	return true;
}

static void word_free(struct word *w)
{
	free(w->text);
	free(w->packed);
	*w = (struct word){ 0 };
}

static bool is_word(const struct word *w, struct node *n)
{
	char *text;
	bool same;

	n = node_strip(n);
	if (!n || (n->kind != NODE_MEMBER && n->kind != NODE_REFERENCE &&
		   n->kind != NODE_SUBSCRIPT && n->kind != NODE_UNARY))
		return false;
	text = node_packed(w->u, n);
	same = !strcmp(text, w->packed);
	free(text);
	return same;
}

/* Does it look at memory of others, or call something? */
static bool is_plain(const struct unit *u, struct node *top)
{
	for (struct node *n = top; n; n = node_next(top, n)) {
		char op[4] = "";

		if (n->kind == NODE_UNARY)
			node_operator(u, n, op);
		if (n->kind == NODE_CALL || is_shared(n) || op[0] == '*' || node_assigns(u, n))
			return false;
	}
	return true;
}

static const char *verb(const char *op)
{
	switch (*op) {
	case '+':
		return "add";
	case '-':
		return "sub";
	case '&':
		return "and";
	case '|':
		return "or";
	case '^':
		return "xor";
	default:
		return NULL;
	}
}

/* before: the value is what was there before */
static char *fetch(const struct word *w, const char *op, const char *operand, bool before)
{
	const char *v = verb(op);

	if (w->is_atomic) {
		if (before)
			return xasprintf("atomic_fetch_%s(&%s, %s)", v, w->text, operand);
		return xasprintf("atomic_fetch_%s(&%s, %s) %c (%s)", v, w->text, operand, *op,
				 operand);
	}
	if (before)
		return xasprintf("__atomic_fetch_%s(&%s, %s, __ATOMIC_SEQ_CST)", v, w->text,
				 operand);
	return xasprintf("__atomic_%s_fetch(&%s, %s, __ATOMIC_SEQ_CST)", v, w->text, operand);
}

static char *exchange(const struct word *w, const char *value)
{
	return w->is_atomic ? xasprintf("atomic_exchange(&%s, %s)", w->text, value)
			    : xasprintf("__atomic_exchange_n(&%s, %s, __ATOMIC_SEQ_CST)", w->text,
					value);
}

static char *load(const struct word *w)
{
	return w->is_atomic ? xasprintf("atomic_load(&%s)", w->text)
			    : xasprintf("__atomic_load_n(&%s, __ATOMIC_SEQ_CST)", w->text);
}

static char *compare_exchange(const struct word *w, const char *seen, const char *value)
{
	if (w->is_atomic)
		return xasprintf("atomic_compare_exchange_strong(&%s, &%s, %s)", w->text, seen,
				 value);
	return xasprintf("__atomic_compare_exchange_n(&%s, &%s, %s, 0, __ATOMIC_SEQ_CST, "
			 "__ATOMIC_SEQ_CST)",
			 w->text, seen, value);
}

/* "n op k" with n the word: the operand k, and op. */
static struct node *operand_of(const struct word *w, struct node *value, char op[4])
{
	struct node *a, *b;

	value = node_strip(value);
	if (!value || value->kind != NODE_BINARY || node_assigns(w->u, value))
		return NULL;
	node_operator(w->u, value, op);
	a = value->child;
	b = a ? a->next : NULL;
	if (!b || strlen(op) != 1 || !verb(op))
		return NULL;
	if (is_word(w, a) && is_plain(w->u, b))
		return b;
	return *op != '-' && is_word(w, b) && is_plain(w->u, a) ? a : NULL;
}

/* The statement's own value is not used: "n++;". */
static bool is_unused(const struct node *n)
{
	while (n->parent && n->parent->kind == NODE_OTHER && !node_is_statement(n))
		n = n->parent;
	return node_is_statement(n);
}

/* One expression that reads and writes the word: n++, n += k, n = n + k. */
static bool change_expression(const struct word *w, struct node *n, struct edits *edits)
{
	char op[4], inner[4], *operand, *text;
	bool before = is_unused(n);
	struct node *k;
	uint32_t end = n->end;

	node_operator(w->u, n, op);
	if (n->kind == NODE_UNARY) {
		before |= n->start == n->child->start; /* n++ */
		text = fetch(w, op, "1", before);
	} else if (strlen(op) == 2 && verb(op)) {
		k = n->child->next;
		if (!is_plain(w->u, k))
			return false;
		operand = node_text(w->u, k);
		text = fetch(w, op, operand, before);
		free(operand);
	} else {
		k = !strcmp(op, "=") ? operand_of(w, n->child->next, inner) : NULL;
		if (!k)
			return false;
		operand = node_text(w->u, k);
		text = fetch(w, inner, operand, before);
		free(operand);
	}
	if (w->u->text[end - 1] == ';')
		end--;
	edit_replace(edits, n->start, end, text);
	return true;
}

/* Is the shared memory that the nodes below look at only the word, and what leads to it? */
static bool only_word(const struct word *w, struct node *top)
{
	for (struct node *n = top; n; n = node_next(top, n)) {
		if (n->kind == NODE_CALL)
			return false;
		if (is_shared(n) && !is_word(w, whole(n)))
			return false;
	}
	return true;
}

/* The first change of shared memory in the range. */
static struct node *first_change(const struct unit *u, const struct range *r)
{
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n)) {
		struct node *target;

		if (!node_assigns(u, n))
			continue;
		target = node_strip(n->child);
		while (target && target->kind == NODE_SUBSCRIPT)
			target = node_strip(target->child);
		if (target && is_shared(target))
			return n;
	}
	return NULL;
}

/* v = n;  or  int v = n;  the variable, and where the value stands. */
static struct node *reads_into(const struct word *w, struct node *s, char **variable)
{
	struct node *n = node_strip(s);
	char op[4];

	if (n && n->kind == NODE_BINARY) {
		node_operator(w->u, n, op);
		if (!strcmp(op, "=") && is_word(w, n->child->next) &&
		    node_strip(n->child)->kind == NODE_REFERENCE && !node_strip(n->child)->global) {
			*variable = xstrdup(node_strip(n->child)->name);
			return node_strip(n->child->next);
		}
	}
	if (s->kind == NODE_DECLARATION && s->child && s->child->kind == NODE_VARIABLE &&
	    !s->child->next) {
		for (struct node *c = s->child->child; c; c = c->next)
			if (is_word(w, c)) {
				*variable = xstrdup(s->child->name);
				return node_strip(c);
			}
	}
	return NULL;
}

static bool names(struct node *top, const char *variable)
{
	for (struct node *n = top; n; n = node_next(top, n))
		if (n->kind == NODE_REFERENCE && !strcmp(n->name, variable))
			return true;
	return false;
}

/* v = n; n = f(v); */
static bool change_pair(const struct word *w, const struct range *r, struct node *write,
			struct edits *edits)
{
	char *variable = NULL, *value = NULL, op[4], *all, *condition;
	struct node *read, *to = write->child->next, *s = write;
	bool done = false;

	while (!node_is_statement(s))
		s = s->parent;
	node_operator(w->u, write, op);
	read = reads_into(w, r->first, &variable);
	if (read && r->first->next == s && s == r->last && !strcmp(op, "=") && is_plain(w->u, to)) {
		struct word v = { .u = w->u, .packed = variable };
		char inner[4];
		struct node *k = operand_of(&v, to, inner);

		if (k && !names(k, variable)) {
			char *operand = node_text(w->u, k);

			value = fetch(w, inner, operand, true);
			free(operand);
		} else if (!names(to, variable)) {
			char *new = node_text(w->u, to);

			value = exchange(w, new);
			free(new);
		} else {
			char *new = node_text(w->u, to), *swap = compare_exchange(w, variable, new);

			value = load(w);
			all = edit_indent(w->u, s->start);
			edit_replace(edits, s->start, s->end,
				     xasprintf("while (!%s)\n%s\t;", swap, all));
			free(all);
			free(swap);
			free(new);
			edit_replace(edits, read->start, read->end, value);
			free(variable);
			return true;
		}
		edit_replace(edits, read->start, read->end, value);
		edit_remove(edits, w->u, s, &condition);
		free(condition);
		done = true;
	}
	free(variable);
	return done;
}

/* The first statement of a branch. */
static struct node *first_of(struct node *branch)
{
	return branch && branch->kind == NODE_COMPOUND ? branch->child : branch;
}

/* if (n == a) n = b;  if (!n) n = b; */
static bool change_if(const struct word *w, const struct range *r, struct node *write,
		      struct edits *edits)
{
	struct node *s = r->first, *test, *branch, *other = NULL, *to = write->child->next;
	char op[4], *expected, *value, *swap, *condition;
	bool boolean = strstr(w->node->type, "ool") != NULL;

	if (s != r->last || s->kind != NODE_IF || node_child(s, 2))
		return false;
	test = node_strip(s->child);
	branch = first_of(s->child->next);
	if (!branch || node_strip(branch) != write || !is_plain(w->u, to))
		return false;
	node_operator(w->u, write, op);
	if (strcmp(op, "=") != 0)
		return false;
	node_operator(w->u, test, op);
	if (test->kind == NODE_BINARY && !strcmp(op, "==") && is_word(w, test->child))
		other = test->child->next;
	else if (test->kind != NODE_UNARY || strcmp(op, "!") != 0 || !is_word(w, test->child))
		return false;
	if ((other && !is_plain(w->u, other)) || (other && (boolean || w->is_atomic)) ||
	    (!boolean && w->is_atomic))
		return false;
	expected =
		other ? node_text(w->u, other) : xstrdup(strchr(w->node->type, '*') ? "NULL" : "0");
	value = node_text(w->u, to);
	if (boolean && strcmp(value, "true") != 0 && strcmp(value, "1") != 0) {
		free(expected);
		free(value);
		return false;
	}
	if (boolean) {
		char *old = exchange(w, value);

		swap = xasprintf("!%s", old);
		free(old);
	} else {
		swap = xasprintf("__sync_bool_compare_and_swap(&%s, %s, %s)", w->text, expected,
				 value);
	}
	edit_replace(edits, test->start, test->end, swap);
	edit_remove(edits, w->u, branch, &condition);
	free(condition);
	free(expected);
	free(value);
	return true;
}

int atomic_range(const struct unit *u, const struct range *r, struct edits *edits, char **name,
		 struct error *e)
{
	struct node *change = first_change(u, r), *second, *target;
	struct word w;
	bool done = false;

	if (!change)
		return error_set(e, "%s:%u: the block changes nothing that is shared", u->path,
				 r->from);
	error_set(e, "%s:%u: the block is more than one change of one word", u->path, r->from);
	if (!word_init(&w, u, change->child, e))
		return -1;
	for (struct node *n = range_next(r, NULL); n; n = range_next(r, n)) {
		second = n != change && node_assigns(u, n) ? node_strip(n->child) : NULL;
		while (second && second->kind == NODE_SUBSCRIPT)
			second = node_strip(second->child);
		if (second && is_shared(second)) {
			word_free(&w);
			return -1;
		}
	}
	if (r->first->kind == NODE_IF)
		done = change_if(&w, r, change, edits);
	else if (r->first == r->last && only_word(&w, r->first))
		done = change_expression(&w, change, edits);
	else if (only_word(&w, r->first) && only_word(&w, r->last))
		done = change_pair(&w, r, change, edits);
	target = node_strip(w.node);
	while (target->kind == NODE_SUBSCRIPT)
		target = node_strip(target->child);
	if (done)
		*name = xstrdup(target->name);
	word_free(&w);
	return done ? 0 : -1;
}

int atomic_line(const struct unit *u, const char *name, uint32_t line, struct edits *edits,
		struct error *e)
{
	struct node *f = unit_function_at(u, line);

	for (struct node *n = f; n; n = node_next(f, n)) {
		struct node *all, *p;
		struct word w;
		char op[4], *value, *text;
		bool done = true;

		if (n->line != line || !n->name || strcmp(n->name, name) != 0 || !is_shared(n))
			continue;
		all = whole(n);
		if (!word_init(&w, u, all, e))
			return -1;
		p = all->parent;
		while (p && p->kind == NODE_OTHER)
			p = p->parent;
		if (w.is_atomic) {
			word_free(&w);
			continue;
		}
		if (p && node_assigns(u, p) && node_inside(n, p->child)) {
			node_operator(u, p, op);
			if (!strcmp(op, "=") && is_unused(p) && is_plain(u, p->child->next)) {
				value = node_text(u, p->child->next);
				text = xasprintf("__atomic_store_n(&%s, %s, __ATOMIC_SEQ_CST)",
						 w.text, value);
				edit_replace(edits, p->start,
					     u->text[p->end - 1] == ';' ? p->end - 1 : p->end,
					     text);
				free(value);
			} else {
				done = change_expression(&w, p, edits);
			}
		} else {
			edit_replace(edits, all->start, all->end, load(&w));
		}
		word_free(&w);
		if (!done)
			return error_set(e, "%s:%u: this is more than one change of %s", u->path,
					 line, name);
	}
	return 0;
}
