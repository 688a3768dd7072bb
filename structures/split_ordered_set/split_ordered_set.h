/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_SPLIT_ORDERED_SET_H
#define STRUCTURES_SPLIT_ORDERED_SET_H

#include <stdbool.h>

struct split_ordered_set;

struct split_ordered_set *split_ordered_set_create(void);
/* Keys from 0 to 127. */
bool split_ordered_set_add(struct split_ordered_set *set, int key);
bool split_ordered_set_remove(struct split_ordered_set *set, int key);
bool split_ordered_set_contains(struct split_ordered_set *set, int key);

#endif
