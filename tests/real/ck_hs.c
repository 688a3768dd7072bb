/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit's hash set, of which most is in its library: one thread may write while others
 * read.
 */
#include <ck_hs.h>
#include <stdint.h>
#include <stdlib.h>

#include "ck_allocator.h"
#include "client.h"

static ck_hs_t set;

/* All keys are in one bucket, so that probing meets changes. */
static unsigned long hash(const void *key, unsigned long seed)
{
	return seed + ((uintptr_t)key >> 6);
}

/* 0 and -1 have a special meaning in the set. */
static const void *key_of(int key)
{
	return (const void *)(((uintptr_t)key + 1) << 1);
}

static void *create(void)
{
	bool ok = ck_hs_init(&set, CK_HS_MODE_SPMC | CK_HS_MODE_DIRECT | CK_HS_MODE_DELETE, hash,
			     NULL, &allocator, 8, 0);

	return ok ? &set : NULL;
}

static struct client_result add(void *object, int key)
{
	const void *k = key_of(key);

	return client_bool(ck_hs_put(object, hash(k, 0), k));
}

static struct client_result del(void *object, int key)
{
	const void *k = key_of(key);

	return client_bool(ck_hs_remove(object, hash(k, 0), k) != NULL);
}

static struct client_result contains(void *object, int key)
{
	const void *k = key_of(key);

	return client_bool(ck_hs_get(object, hash(k, 0), k) != NULL);
}

CLIENT_MAIN("set", create, CLIENT_SET(add, del, contains))
