/* SPDX-License-Identifier: MIT
 *
 * A set of integers: a sorted linked list under one reader-writer lock. See coarse_list.c.
 */
#ifndef COARSE_LIST_H
#define COARSE_LIST_H

#include <stdbool.h>

struct coarse_list;

/* A new empty set, NULL without memory. It is never freed: see coarse_list.c. */
struct coarse_list *coarse_list_create(void);

/* Keys lie strictly between INT_MIN and INT_MAX. Any thread may call these at any time. */
bool coarse_list_add(struct coarse_list *list, int key);    /* false: it was there already */
bool coarse_list_remove(struct coarse_list *list, int key); /* false: it was not there */
bool coarse_list_contains(struct coarse_list *list, int key);
int coarse_list_size(struct coarse_list *list); /* how many keys there are */

#endif
