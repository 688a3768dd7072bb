/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_MPMC_RING_H
#define STRUCTURES_MPMC_RING_H

#include <stdbool.h>

struct mpmc_ring;

struct mpmc_ring *mpmc_ring_create(void);
/* False if two values are in the ring, or places are being taken. */
bool mpmc_ring_put(struct mpmc_ring *ring, int value);
bool mpmc_ring_get(struct mpmc_ring *ring, int *value);

#endif
