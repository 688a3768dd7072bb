/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_LOCK_FREE_SKIP_LIST_H
#define STRUCTURES_LOCK_FREE_SKIP_LIST_H

#include <stdbool.h>

struct lock_free_skip_list;

struct lock_free_skip_list *lock_free_skip_list_create(void);
/* Odd keys are on both levels, even ones on the lower one only. */
bool lock_free_skip_list_add(struct lock_free_skip_list *set, int key);
bool lock_free_skip_list_remove(struct lock_free_skip_list *set, int key);
bool lock_free_skip_list_contains(struct lock_free_skip_list *set, int key);

#endif
