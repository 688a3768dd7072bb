/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_BST_SET_H
#define STRUCTURES_BST_SET_H

#include <stdbool.h>

struct bst_set;

struct bst_set *bst_set_create(void);
bool bst_set_add(struct bst_set *set, int key);
bool bst_set_remove(struct bst_set *set, int key);
bool bst_set_contains(struct bst_set *set, int key);

#endif
