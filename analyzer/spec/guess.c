/* SPDX-License-Identifier: MIT
 *
 * The verbs and the numbers of arguments suggest the specification; where one operation does not
 * fit into it, or cannot be caught, it is `self`, which fits all.
 */
#include "spec/guess.h"
#include "lin/adt.h"
#include "lin/lin.h"

#include <stdio.h>
#include <string.h>

static bool has(const struct group *g, const char *verb)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->ops[i]->name.verb, verb))
			return true;
	return false;
}

static bool has_role(const struct group *g, enum op_role role, unsigned nargs)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i]->name.role == role && g->ops[i]->nargs == nargs)
			return true;
	return false;
}

/* Is one of these words, separated by blanks, part of the name of the object or of its type? */
static bool called(const struct group *g, const char *words)
{
	const struct candidate *c = g->ops[0];

	for (size_t n; *words; words += n + (words[n] == ' ')) {
		char word[16];

		n = strcspn(words, " ");
		snprintf(word, sizeof word, "%.*s", (int)n, words);
		if (strstr(c->name.object, word) ||
		    (c->with_object && strstr(c->proto->params[0].type.text, word)))
			return true;
	}
	return false;
}

bool candidate_changes(const struct candidate *c)
{
	return c->name.role == ROLE_ADD || c->name.role == ROLE_TAKE ||
	       c->name.role == ROLE_COUNT || c->name.role == ROLE_CAS ||
	       c->name.role == ROLE_CLEAR || c->name.role == ROLE_OTHER;
}

bool candidate_is_lock(const struct candidate *c)
{
	return c->name.role == ROLE_LOCK || c->name.role == ROLE_UNLOCK;
}

/* Which of two values does counting return? Its name may say it. */
static bool counts_silently(const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i]->name.role == ROLE_COUNT &&
		    g->ops[i]->proto->result.kind != TYPE_VOID &&
		    strncmp(g->ops[i]->name.operation, "fetch", 5) != 0)
			return false;
	return true;
}

static const char *guess_alone(const struct group *g)
{
	const struct candidate *c = g->ops[0];

	if (c->name.role == ROLE_COUNT && counts_silently(g))
		return "counter";
	if (c->name.role == ROLE_ADD && c->nargs == 1 && called(g, "set list tree skip hash"))
		return "set";
	return "self";
}

const char *group_guess(const struct group *g)
{
	bool takes = has_role(g, ROLE_TAKE, 0);

	if (candidate_is_lock(g->ops[0]))
		return "mutex";
	if (g->n == 1)
		return guess_alone(g);

	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i]->name.ended)
			return takes ? "deque" : "self";
	if (takes && called(g, "heap prio pq"))
		return "pqueue";
	if (has_role(g, ROLE_COUNT, 0) || has_role(g, ROLE_COUNT, 1) ||
	    (called(g, "counter") && has_role(g, ROLE_ADD, 1)))
		return counts_silently(g) ? "counter" : "self";
	if (takes && called(g, "stack lifo"))
		return "stack";
	if (takes && called(g, "queue fifo ring buf chan"))
		return "queue";
	if (takes && has(g, "push") && has(g, "pop"))
		return "stack";
	if (takes && has_role(g, ROLE_ADD, 1))
		return "queue";
	if (has_role(g, ROLE_ADD, 2) &&
	    (has_role(g, ROLE_GET, 1) || has_role(g, ROLE_LOOK, 1) || has_role(g, ROLE_TAKE, 1)))
		return "map";
	if (has_role(g, ROLE_ADD, 1) && (has_role(g, ROLE_TAKE, 1) || has_role(g, ROLE_LOOK, 1)))
		return "set";
	if (has_role(g, ROLE_ADD, 1) && has_role(g, ROLE_GET, 0))
		return "register";
	return "self";
}

const char *group_specification(const struct group *g, const struct candidate **misfit)
{
	const char *name = g->left_out ? "self" : group_guess(g);
	const struct adt *adt = adt_find(name);
	struct op_form form;

	*misfit = NULL;
	for (size_t i = 0; i < g->n && adt->methods; i++) {
		candidate_form(g->ops[i], name, &form);
		if (adt_method_find(adt, form.operation) < 0 || form.lost) {
			*misfit = g->ops[i];
			return "self";
		}
	}
	return name;
}

/* Locks are a type of their own; what else may be named like them is none: several readers hold one
 * at a time, a thread holds one twice. */
bool group_are_locks(const struct group *g)
{
	static const char *const others[] = { "read", "rd",   "shared", "rw", "recursive",
					      "rcu",  "both", "all",    NULL };
	bool locks = false, unlocks = false;

	for (size_t i = 0; i < g->n; i++) {
		const struct candidate *c = g->ops[i];

		locks |= c->name.role == ROLE_LOCK;
		unlocks |= c->name.role == ROLE_UNLOCK;
		if (!candidate_is_lock(c) || c->nargs)
			return false;
		/* References are acquired and released as well. */
		if (!strstr(c->name.verb, "lock") && !called(g, "lock mutex spin"))
			return false;
		for (unsigned k = 0; others[k]; k++)
			if (strstr(c->name.object, others[k]))
				return false;
	}
	return locks && unlocks;
}
