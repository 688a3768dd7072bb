/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_ELIMINATION_STACK_H
#define STRUCTURES_ELIMINATION_STACK_H

#include <stdbool.h>

struct elimination_stack;

struct elimination_stack *elimination_stack_create(void);
void elimination_stack_push(struct elimination_stack *stack, int value);
bool elimination_stack_pop(struct elimination_stack *stack, int *value);

#endif
