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

static const struct client_operation operations[] = {
	{ 'a', true, "add", add },
	{ 'r', true, "remove", remove_key },
	{ 'c', true, "contains", contains },
	{ 0, false, NULL, NULL },
};

static const struct client_structure set = { "set", create, operations };

int main(int argc, char **argv)
{
	return client_main(&set, argc, argv);
}
