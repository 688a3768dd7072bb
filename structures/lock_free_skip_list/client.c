/* SPDX-License-Identifier: MIT
 *
 * A client of the lock-free skip list.
 */
#include "lock_free_skip_list.h"
#include "../client.h"

static void *create(void)
{
	return lock_free_skip_list_create();
}

static struct client_result add(void *object, int argument)
{
	return client_bool(lock_free_skip_list_add(object, argument));
}

static struct client_result remove_key(void *object, int argument)
{
	return client_bool(lock_free_skip_list_remove(object, argument));
}

static struct client_result contains(void *object, int argument)
{
	return client_bool(lock_free_skip_list_contains(object, argument));
}

CLIENT_MAIN("set", create, { 'a', 1, "add", add }, { 'r', 1, "remove", remove_key },
	    { 'c', 1, "contains", contains })
