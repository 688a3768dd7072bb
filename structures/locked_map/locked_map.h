/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_LOCKED_MAP_H
#define STRUCTURES_LOCKED_MAP_H

#include <stdbool.h>

struct locked_map;

struct locked_map *locked_map_create(void);
/* Keys are not negative. The value that was there is in *old. */
bool locked_map_put(struct locked_map *map, int key, int value, int *old);
/* The same, and changes nothing then. */
bool locked_map_put_if_absent(struct locked_map *map, int key, int value, int *old);
bool locked_map_get(struct locked_map *map, int key, int *value);
bool locked_map_erase(struct locked_map *map, int key);

#endif
