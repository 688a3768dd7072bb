/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_CHASE_LEV_H
#define STRUCTURES_CHASE_LEV_H

#include <stdbool.h>

struct chase_lev;

struct chase_lev *chase_lev_create(void);
/* Of one thread, the owner; at most 8 values are there. */
void chase_lev_push(struct chase_lev *deque, int value);
bool chase_lev_pop(struct chase_lev *deque, int *value);
/* Of any thread. */
bool chase_lev_steal(struct chase_lev *deque, int *value);

#endif
