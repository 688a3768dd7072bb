/* SPDX-License-Identifier: MIT
 *
 * A client of the split-ordered hash table.
 */
#include "split_ordered_set.h"
#include "../client.h"

static void *create(void)
{
	return split_ordered_set_create();
}

static struct client_result add(void *object, int argument)
{
	return client_bool(split_ordered_set_add(object, argument));
}

static struct client_result remove_key(void *object, int argument)
{
	return client_bool(split_ordered_set_remove(object, argument));
}

static struct client_result contains(void *object, int argument)
{
	return client_bool(split_ordered_set_contains(object, argument));
}

CLIENT_MAIN("set", create, { 'a', 1, "add", add }, { 'r', 1, "remove", remove_key },
	    { 'c', 1, "contains", contains })
