/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit's stack: push and pop of the variants for one and for many consumers that may use
 * entries again. Inline assembly, cmpxchg and cmpxchg16b, compiled into the test.
 *
 * With -DREUSE a thread pushes again the first entry that it popped; the variant for unique entries
 * (upmc) does not allow it.
 */
#include <ck_stack.h>
#include <stdlib.h>

#include "client.h"

#ifdef MPMC
#define push_entry ck_stack_push_mpmc
#define pop_entry  ck_stack_pop_mpmc
#else
#define push_entry ck_stack_push_upmc
#define pop_entry  ck_stack_pop_upmc
#endif

struct item {
	ck_stack_entry_t entry; /* first */
	int value;
};

static _Alignas(16) ck_stack_t stack = CK_STACK_INITIALIZER;
static __thread struct item *spare;

static void *create(void)
{
	return &stack;
}

static struct client_result push(void *object, int value)
{
	struct item *item = spare ? spare : malloc(sizeof *item);

	spare = NULL;
	item->value = value;
	push_entry(object, &item->entry);
	return client_void();
}

static struct client_result pop(void *object, int unused)
{
	struct item *item = (struct item *)pop_entry(object);

	(void)unused;
	if (!item)
		return client_empty();
#ifdef REUSE
	if (!spare)
		spare = item;
#endif
	return client_value(item->value);
}

CLIENT_MAIN("stack", create, CLIENT_STACK(push, pop))
