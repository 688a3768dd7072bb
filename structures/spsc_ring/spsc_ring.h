/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_SPSC_RING_H
#define STRUCTURES_SPSC_RING_H

#include <stdbool.h>

struct spsc_ring;

struct spsc_ring *spsc_ring_create(void);
/* Of one thread. False if two values are in the ring. */
bool spsc_ring_put(struct spsc_ring *ring, int value);
/* Of one thread. */
bool spsc_ring_get(struct spsc_ring *ring, int *value);

#endif
