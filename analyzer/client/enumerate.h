/* SPDX-License-Identifier: MIT
 *
 * All clients of a size, one of each class of those that are the same but for names: threads may
 * change places, and values may be renamed as their domains allow.
 */
#ifndef LINCHPIN_CLIENT_ENUMERATE_H
#define LINCHPIN_CLIENT_ENUMERATE_H

#include "client/client.h"

struct enumerate_bounds {
	unsigned threads;    /* at most; at least two */
	unsigned operations; /* of each thread, at most */
	unsigned before;     /* operations before the threads start, at most */
};

/* Calls `visit` with each client that has `size` operations; it says whether to go on. False if it
 * did not. */
bool enumerate(const struct alphabet *a, const struct enumerate_bounds *bounds, unsigned size,
	       bool (*visit)(const struct client *c, void *data), void *data);

/* The largest size that there is. */
unsigned enumerate_largest(const struct enumerate_bounds *bounds);

#endif
