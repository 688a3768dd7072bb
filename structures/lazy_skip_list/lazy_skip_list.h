/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_LAZY_SKIP_LIST_H
#define STRUCTURES_LAZY_SKIP_LIST_H

#include <stdbool.h>

struct lazy_skip_list;

struct lazy_skip_list *lazy_skip_list_create(void);
/* Odd keys are on both levels, even ones on the lower one only. */
bool lazy_skip_list_add(struct lazy_skip_list *set, int key);
bool lazy_skip_list_remove(struct lazy_skip_list *set, int key);
bool lazy_skip_list_contains(struct lazy_skip_list *set, int key);

#endif
