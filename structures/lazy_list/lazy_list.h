/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_LAZY_LIST_H
#define STRUCTURES_LAZY_LIST_H

#include <stdbool.h>

struct lazy_list;

struct lazy_list *lazy_list_create(void);
bool lazy_list_add(struct lazy_list *set, int key);
bool lazy_list_remove(struct lazy_list *set, int key);
bool lazy_list_contains(struct lazy_list *set, int key);

#endif
