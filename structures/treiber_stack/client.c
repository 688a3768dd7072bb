/* SPDX-License-Identifier: MIT
 *
 * A client of the stack of Treiber.
 */
#include "treiber_stack.h"
#include "../client.h"

static void *create(void)
{
	return treiber_stack_create();
}

static struct client_result put(void *object, int value)
{
	treiber_stack_push(object, value);
	return client_void();
}

static struct client_result get(void *object, int unused)
{
	int value;

	(void)unused;
	return treiber_stack_pop(object, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("stack", create, { 'p', 1, "push", put }, { 'o', 0, "pop", get })
