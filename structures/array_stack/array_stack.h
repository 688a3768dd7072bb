/* SPDX-License-Identifier: MIT
 *
 * A stack of integers in an array that only grows. See array_stack.c.
 */
#ifndef ARRAY_STACK_H
#define ARRAY_STACK_H

#include <stdbool.h>

/* How many pushes a stack can take in total: a cell is used once. One more fails an assertion. */
#define ARRAY_STACK_CAPACITY 64

struct array_stack;

/* A new empty stack, NULL without memory. The caller owns it and frees it with free(). */
struct array_stack *array_stack_create(void);

/* Any thread may call these at any time. A value must not be 0, which marks an empty cell. */
void array_stack_push(struct array_stack *stack, int value);
bool array_stack_pop(struct array_stack *stack, int *value); /* false: the stack was empty */

#endif
