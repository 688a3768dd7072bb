/* SPDX-License-Identifier: MIT
 *
 * A client of the table of handles.
 */
#include "handle_table.h"
#include "../client.h"

static void *create(void)
{
	return handle_table_create();
}

static struct client_result add(void *object, int argument)
{
	return client_bool(handle_table_add(object, argument));
}

static struct client_result remove_key(void *object, int argument)
{
	return client_bool(handle_table_remove(object, argument));
}

static struct client_result contains(void *object, int argument)
{
	return client_bool(handle_table_contains(object, argument));
}

CLIENT_MAIN("set", create, { 'a', 1, "add", add }, { 'r', 1, "remove", remove_key },
	    { 'c', 1, "contains", contains })
