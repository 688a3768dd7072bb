/* SPDX-License-Identifier: MIT */
#include "spec/objects.h"
#include "spec/file.h"
#include "spec/guess.h"

#include <string.h>

/* `struct block *pool_acquire(void)`, `void pool_release(struct block *b)`: no lock, but a pool. */
static void pools(struct candidate *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct candidate *a = &list[i], *b;

		if (a->name.role != ROLE_LOCK || a->proto->result.kind != TYPE_POINTER)
			continue;
		for (size_t k = 0; k < n; k++) {
			const struct fn_instance *takes = list[k].proto;

			b = &list[k];
			if (b->name.role != ROLE_UNLOCK || !takes->nparams ||
			    strcmp(a->name.object, b->name.object) != 0 ||
			    strcmp(takes->params[takes->nparams - 1].type.text,
				   a->proto->result.text) != 0)
				continue;
			a->name.role = ROLE_TAKE;
			b->name.role = ROLE_OTHER;
		}
	}
}

/* Where one function of a name takes no object, there is one, and a pointer that another one takes
 * is what it is about: `struct block *pool_get(void)`, `void pool_put(struct block *b)`. */
static void same_objects(struct candidate *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct candidate *a = &list[i];

		if (a->with_object || !*a->name.object ||
		    (a->name.role != ROLE_TAKE && a->name.role != ROLE_GET))
			continue;
		for (size_t k = 0; k < n; k++) {
			struct candidate *b = &list[k];

			if (!b->with_object || strcmp(a->name.object, b->name.object) != 0 ||
			    b->nargs == SPEC_MAX_ARGS)
				continue;
			b->with_object = false;
			b->nargs++;
		}
	}
}

/* The same of a structure that is filled: `int event_post(int type)`, `int event_poll(struct event *e)`. */
static void structures_given(struct candidate *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct candidate *a = &list[i];

		if (a->with_object || !*a->name.object || candidate_is_lock(a) ||
		    !a->proto->nparams || a->proto->params[0].type.kind == TYPE_POINTER)
			continue;
		for (size_t k = 0; k < n; k++) {
			struct candidate *b = &list[k];

			if (!b->with_object || b->proto->nparams != 1 ||
			    b->proto->params[0].type.to_const ||
			    (b->name.role != ROLE_TAKE && b->name.role != ROLE_GET &&
			     b->name.role != ROLE_LOOK && b->name.role != ROLE_OTHER) ||
			    strcmp(a->name.object, b->name.object) != 0)
				continue;
			b->with_object = false;
			b->out = 0;
			b->opaque = true;
		}
	}
}

void objects_settle(struct candidate *list, size_t n)
{
	pools(list, n);
	same_objects(list, n);
	structures_given(list, n);
}
