/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_LRU_CACHE_H
#define STRUCTURES_LRU_CACHE_H

#include <stdbool.h>

struct lru_cache;

struct lru_cache *lru_cache_create(void);
/* Two keys are kept, those used last. */
void lru_cache_put(struct lru_cache *cache, int key, int value);
bool lru_cache_get(struct lru_cache *cache, int key, int *value);

#endif
