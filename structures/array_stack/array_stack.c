/* SPDX-License-Identifier: MIT
 *
 * Array stack: Afek, Gafni and Morrison, "Common2 extended to stacks and unbounded concurrency"
 * (Distributed Computing, 2007), with a bounded array. push claims a cell by fetch-and-add and then
 * fills it; pop goes down from the highest claimed cell, takes what it finds there, and returns the
 * first value it gets.
 *
 * Why it is linearizable: see the paper. The proof rests on pop taking a value and emptying its
 * cell in one step, an atomic exchange. The faulty variant (FAULTY_POP, chosen when compiling)
 * reads the cell and then clears it, so two pops may return one value; it is the running example of
 * Çirisci, Enea, Farzan and Mutluergil, "Root Causing Linearizability Violations" (CAV 2020).
 *
 * array_stack.expect refers to the marks (words after an at sign).
 */
#include "array_stack.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct array_stack {
	atomic_int range; /* cells claimed */
	atomic_int items[ARRAY_STACK_CAPACITY];
};

struct array_stack *array_stack_create(void)
{
	return calloc(1, sizeof(struct array_stack));
}

void array_stack_push(struct array_stack *stack, int value)
{
	int i;

	assert(value != 0);
	i = atomic_fetch_add(&stack->range, 1); /* @push.claim */
	assert(i < ARRAY_STACK_CAPACITY);
	stack->items[i] = value; /* @push.fill */
}

bool array_stack_pop(struct array_stack *stack, int *value)
{
	int top;
	int i;
	int x;

	top = stack->range - 1;
	for (i = top; i >= 0; i--) {
#ifdef FAULTY_POP
		x = stack->items[i]; /* @pop.read */
		stack->items[i] = 0; /* @pop.clear */
#else
		x = atomic_exchange(&stack->items[i], 0);
#endif
		if (x) {
			*value = x;
			return true;
		}
	}
	return false;
}
