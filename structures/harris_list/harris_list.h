/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_HARRIS_LIST_H
#define STRUCTURES_HARRIS_LIST_H

#include <stdbool.h>

struct harris_list;

struct harris_list *harris_list_create(void);
bool harris_list_add(struct harris_list *set, int key);
bool harris_list_remove(struct harris_list *set, int key);
bool harris_list_contains(struct harris_list *set, int key);

#endif
