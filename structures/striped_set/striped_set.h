/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_STRIPED_SET_H
#define STRUCTURES_STRIPED_SET_H

#include <stdbool.h>

struct striped_set;

struct striped_set *striped_set_create(void);
/* Keys are not negative. */
bool striped_set_add(struct striped_set *set, int key);
bool striped_set_remove(struct striped_set *set, int key);
bool striped_set_contains(struct striped_set *set, int key);

#endif
