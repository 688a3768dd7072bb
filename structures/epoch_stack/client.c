/* SPDX-License-Identifier: MIT
 *
 * A client of the stack with epochs.
 */
#include "epoch_stack.h"
#include "../client.h"

static void *create(void)
{
	return epoch_stack_create();
}

static struct client_result push(void *object, int argument)
{
	epoch_stack_push(object, argument);
	return client_void();
}

static struct client_result pop(void *object, int unused)
{
	int value;

	(void)unused;
	return epoch_stack_pop(object, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("stack", create, { 'p', 1, "push", push }, { 'o', 0, "pop", pop })
