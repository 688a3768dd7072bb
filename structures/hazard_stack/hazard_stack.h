/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_HAZARD_STACK_H
#define STRUCTURES_HAZARD_STACK_H

#include <stdbool.h>

struct hazard_stack;

struct hazard_stack *hazard_stack_create(void);
/* Of at most 8 threads. */
void hazard_stack_push(struct hazard_stack *stack, int value);
bool hazard_stack_pop(struct hazard_stack *stack, int *value);

#endif
