/* SPDX-License-Identifier: MIT
 *
 * A client of the AVL map. The notation is that of the publications: the first digit is the key, the
 * second one the value.
 */
#include "avl_map.h"
#include "../client.h"

static void *create(void)
{
	return avl_map_create();
}

static struct client_result put(void *map, int pair)
{
	int old;

	return avl_map_put(map, pair / 10, pair % 10, &old) ? client_value(old) : client_empty();
}

static struct client_result remove_pair(void *map, int pair)
{
	return client_bool(avl_map_remove(map, pair / 10, pair % 10));
}

static struct client_result get(void *map, int key)
{
	int value;

	return avl_map_get(map, key, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("map", create, { 'a', 2, "put", put }, { 'r', 2, "remove", remove_pair },
	    { 'g', 1, "get", get })
