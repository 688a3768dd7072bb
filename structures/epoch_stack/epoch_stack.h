/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_EPOCH_STACK_H
#define STRUCTURES_EPOCH_STACK_H

#include <stdbool.h>

struct epoch_stack;

struct epoch_stack *epoch_stack_create(void);
/* Of at most 4 threads. */
void epoch_stack_push(struct epoch_stack *stack, int value);
bool epoch_stack_pop(struct epoch_stack *stack, int *value);

#endif
