/* SPDX-License-Identifier: MIT
 *
 * A client of the coarse list.
 */
#include "coarse_list.h"
#include "../client.h"

static void *create(void)
{
	return coarse_list_create();
}

static struct client_result add(void *list, int key)
{
	return client_bool(coarse_list_add(list, key));
}

static struct client_result remove_key(void *list, int key)
{
	return client_bool(coarse_list_remove(list, key));
}

static struct client_result contains(void *list, int key)
{
	return client_bool(coarse_list_contains(list, key));
}

static struct client_result size(void *list, int unused)
{
	(void)unused;
	return client_value(coarse_list_size(list));
}

CLIENT_MAIN("set", create, CLIENT_SET(add, remove_key, contains), { 's', 0, "size", size })
