/* SPDX-License-Identifier: MIT
 *
 * Treiber's stack with epoch-based reclamation: Fraser, "Practical Lock-Freedom" (Cambridge 2004), section 5.2.3.
 *
 * Why nothing is freed too early: a thread announces the epoch before it reads the top, and withdraws that when it
 * has finished. The epoch moves on only if all threads that are inside have announced the present one. A node
 * that is taken out in epoch e may be held by threads that have announced e or e - 1; those of e - 1 are gone
 * when the epoch becomes e + 1, and those of e when it becomes e + 2. Only then is it freed. Nobody gets the memory
 * of a node meanwhile, so there is no ABA either; linearizable as Treiber's stack is.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_EARLY: a node is freed when the epoch has moved on once.
 *
 * FAULTY_ENTER: pop reads the top before it announces the epoch.
 *
 * epoch_stack.expect refers to the marks (words after an at sign).
 */
#include "epoch_stack.h"

#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 4

#ifdef FAULTY_EARLY
#define GRACE 1
#else
#define GRACE 2
#endif

struct node {
	int value;
	unsigned epoch; /* in which it was taken out */
	struct node *next;
};

struct epoch_stack {
	_Atomic(struct node *) top;
	_Atomic unsigned epoch;
	_Atomic unsigned inside[THREADS]; /* an epoch; 0: none */
	_Atomic int threads;
	struct node *retired[THREADS]; /* each of one thread */
};

static _Thread_local int number; /* from 1 */

struct epoch_stack *epoch_stack_create(void)
{
	struct epoch_stack *stack = calloc(1, sizeof(*stack));

	if (stack)
		atomic_init(&stack->epoch, 1);
	return stack;
}

void epoch_stack_push(struct epoch_stack *stack, int value)
{
	struct node *node = malloc(sizeof(*node)), *top;

	if (!node)
		abort();
	node->value = value;
	do {
		top = stack->top;
		node->next = top;
	} while (!atomic_compare_exchange_strong(&stack->top, &top, node));
}

static void enter(struct epoch_stack *stack)
{
	if (!number)
		number = atomic_fetch_add(&stack->threads, 1) + 1; /* @enter.number */
	stack->inside[number - 1] = stack->epoch; /* @enter.epoch */
}

static void advance(struct epoch_stack *stack)
{
	unsigned epoch = stack->epoch;

	for (int i = 0; i < stack->threads; i++) {
		unsigned inside = stack->inside[i];

		if (inside && inside != epoch)
			return;
	}
	atomic_compare_exchange_strong(&stack->epoch, &epoch, epoch + 1);
}

/* Outside again: moves the epoch on if that is possible, and frees what nobody can hold. */
static void leave(struct epoch_stack *stack)
{
	struct node **at = &stack->retired[number - 1];

	stack->inside[number - 1] = 0;
	advance(stack);
	while (*at) {
		struct node *node = *at;

		if (stack->epoch - node->epoch < GRACE) {
			at = &node->next;
			continue;
		}
		*at = node->next;
		free(node); /* @leave.free */
	}
}

bool epoch_stack_pop(struct epoch_stack *stack, int *value)
{
	struct node *top;

#ifdef FAULTY_ENTER
	top = stack->top; /* @pop.top */
	enter(stack);     /* @pop.enter */
#else
	enter(stack); /* @pop.begin */
	top = stack->top;
#endif
	while (top && !atomic_compare_exchange_strong(&stack->top, &top, top->next)) /* @pop.swap */
		;
	if (top) {
		*value = top->value;
		top->epoch = stack->epoch;
		top->next = stack->retired[number - 1];
		stack->retired[number - 1] = top;
	}
	leave(stack);
	return top;
}
