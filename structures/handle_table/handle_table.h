/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_HANDLE_TABLE_H
#define STRUCTURES_HANDLE_TABLE_H

#include <stdbool.h>

struct handle_table;

struct handle_table *handle_table_create(void);
/* Handles are 0 to 3. contains looks into the object of the handle. */
bool handle_table_add(struct handle_table *set, int key);
bool handle_table_remove(struct handle_table *set, int key);
bool handle_table_contains(struct handle_table *set, int key);

#endif
