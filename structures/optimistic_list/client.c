/* SPDX-License-Identifier: MIT
 *
 * A client of the optimistic list.
 */
#include "optimistic_list.h"
#include "../client.h"

static void *create(void)
{
	return optimistic_list_create();
}

static struct client_result add(void *list, int key)
{
	return client_bool(optimistic_list_add(list, key));
}

static struct client_result remove_key(void *list, int key)
{
	return client_bool(optimistic_list_remove(list, key));
}

static struct client_result contains(void *list, int key)
{
	return client_bool(optimistic_list_contains(list, key));
}

CLIENT_MAIN("set", create, CLIENT_SET(add, remove_key, contains))
