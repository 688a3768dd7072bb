/* SPDX-License-Identifier: MIT
 *
 * A client of the cache.
 */
#include "lru_cache.h"
#include "../client.h"

static void *create(void)
{
	return lru_cache_create();
}

/* The value is the key. */
static struct client_result put(void *object, int key)
{
	lru_cache_put(object, key, key);
	return client_void();
}

static struct client_result get(void *object, int argument)
{
	int value;

	return lru_cache_get(object, argument, &value) ? client_value(value) : client_empty();
}

CLIENT_MAIN("self", create, { 'p', 1, "put", put }, { 'g', 1, "get", get })
