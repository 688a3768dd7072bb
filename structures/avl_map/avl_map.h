/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_AVL_MAP_H
#define STRUCTURES_AVL_MAP_H

#include <stdbool.h>

struct avl_map;

struct avl_map *avl_map_create(void);
/* The value before is in *old if there was one. Keys are greater than INT_MIN and less than
 * INT_MAX. */
bool avl_map_put(struct avl_map *map, int key, int value, int *old);
/* Removes the key if it has this value. */
bool avl_map_remove(struct avl_map *map, int key, int value);
bool avl_map_get(struct avl_map *map, int key, int *value);

#endif
