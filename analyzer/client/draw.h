/* SPDX-License-Identifier: MIT
 *
 * Clients drawn at random, up to the bounds: they are larger than those that can be enumerated in
 * the same time, and each contains many of these.
 */
#ifndef LINCHPIN_CLIENT_DRAW_H
#define LINCHPIN_CLIENT_DRAW_H

#include "client/enumerate.h"
#include "client/sequential.h"

/* A client of at most `size` operations in which some conflict, as far as that is known (`s` may be
 * NULL). *seed is changed; the same seed gives the same client. False if none was found. */
bool draw_client(const struct alphabet *a, const struct enumerate_bounds *bounds, unsigned size,
		 struct sequential *s, uint64_t *seed, struct client *c);

#endif
