/* SPDX-License-Identifier: MIT
 *
 * A client of the hash map with one lock.
 */
#include "locked_map.h"
#include "../client.h"

static void *create(void)
{
	return locked_map_create();
}

static struct client_result put(void *object, int argument)
{
	int old;

	return locked_map_put(object, argument / 10, argument % 10, &old) ? client_value(old)
									  : client_empty();
}

static struct client_result put_if_absent(void *object, int argument)
{
	int old;

	return locked_map_put_if_absent(object, argument / 10, argument % 10, &old)
		       ? client_value(old)
		       : client_empty();
}

static struct client_result get(void *object, int argument)
{
	int value;

	return locked_map_get(object, argument, &value) ? client_value(value) : client_empty();
}

static struct client_result erase(void *object, int argument)
{
	return client_bool(locked_map_erase(object, argument));
}

CLIENT_MAIN("map", create, { 'a', 2, "put", put }, { 'i', 2, "putifabsent", put_if_absent },
	    { 'g', 1, "get", get }, { 'r', 1, "erase", erase })
