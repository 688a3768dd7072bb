/* SPDX-License-Identifier: MIT
 *
 * A set of integers: a sorted linked list with a lock per node. See optimistic_list.c.
 */
#ifndef OPTIMISTIC_LIST_H
#define OPTIMISTIC_LIST_H

#include <stdbool.h>

struct optimistic_list;

/* A new empty set, NULL without memory. It is never freed: see optimistic_list.c. */
struct optimistic_list *optimistic_list_create(void);

/* Keys lie strictly between INT_MIN and INT_MAX. Any thread may call these at any time. */
bool optimistic_list_add(struct optimistic_list *list, int key);      /* false: it was there */
bool optimistic_list_remove(struct optimistic_list *list, int key);   /* false: it was not there */
bool optimistic_list_contains(struct optimistic_list *list, int key); /* takes no lock */

#endif
