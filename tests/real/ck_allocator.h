/* SPDX-License-Identifier: MIT
 *
 * The allocator that Concurrency Kit's tables ask for.
 */
#ifndef REAL_CK_ALLOCATOR_H
#define REAL_CK_ALLOCATOR_H

#include <ck_malloc.h>
#include <stdlib.h>

static void *allocate(size_t size)
{
	return malloc(size);
}

static void *reallocate(void *old, size_t old_size, size_t size, bool deferred)
{
	(void)old_size, (void)deferred;
	return realloc(old, size);
}

/* A reader may still use it. */
static void release(void *old, size_t size, bool deferred)
{
	(void)size;
	if (!deferred)
		free(old);
}

static struct ck_malloc allocator = { allocate, reallocate, release };

#endif
