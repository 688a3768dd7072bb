/* SPDX-License-Identifier: MIT
 *
 * A client of the deque of Chase and Lev.
 */
#include "chase_lev.h"
#include "../client.h"

static void *create(void)
{
	return chase_lev_create();
}

static struct client_result push(void *deque, int value)
{
	chase_lev_push(deque, value);
	return client_void();
}

static struct client_result pop(void *deque, int unused)
{
	int value;

	(void)unused;
	return chase_lev_pop(deque, &value) ? client_value(value) : client_empty();
}

static struct client_result steal(void *deque, int unused)
{
	int value;

	(void)unused;
	return chase_lev_steal(deque, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("deque", create, { 'p', 1, "push_back", push }, { 'o', 0, "pop_back", pop },
	    { 's', 0, "pop_front", steal })
