/* SPDX-License-Identifier: MIT
 *
 * A client of the array stack.
 */
#include "array_stack.h"
#include "../client.h"

static void *create(void)
{
	return array_stack_create();
}

static struct client_result push(void *stack, int value)
{
	array_stack_push(stack, value);
	return client_void();
}

static struct client_result pop(void *stack, int unused)
{
	int value;

	(void)unused;
	return array_stack_pop(stack, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("stack", create, CLIENT_STACK(push, pop))
