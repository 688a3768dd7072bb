/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_TREIBER_STACK_H
#define STRUCTURES_TREIBER_STACK_H

#include <stdbool.h>

struct treiber_stack;

struct treiber_stack *treiber_stack_create(void);
/* At most 8 values are in the stack. */
void treiber_stack_push(struct treiber_stack *stack, int value);
bool treiber_stack_pop(struct treiber_stack *stack, int *value);

#endif
