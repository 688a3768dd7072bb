/* SPDX-License-Identifier: MIT
 *
 * Treiber's stack with hazard pointers: Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects" (IEEE
 * TPDS 2004).
 *
 * Why nothing is freed too early: pop writes the top into its hazard pointer and reads the top again. If it is
 * the same, the node was in the stack after the hazard pointer was written; who takes it out later reads all
 * hazard pointers after that, and keeps it. Therefore it is not used again either, and the compare-and-swap succeeds
 * only if the node was on top all the time: no ABA. Linearizable as Treiber's stack is.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_AGAIN: pop does not read the top again. The node may have been freed before the hazard pointer was
 * written.
 *
 * FAULTY_SCAN: a node that is taken out is freed at once.
 *
 * hazard_stack.expect refers to the marks (words after an at sign).
 */
#include "hazard_stack.h"

#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 8

struct node {
	int value;
	struct node *next;
};

struct hazard_stack {
	_Atomic(struct node *) top;
	_Atomic(struct node *) hazard[THREADS];
	_Atomic int threads;
	struct node *retired[THREADS]; /* each of one thread */
};

static _Thread_local int number; /* from 1 */

struct hazard_stack *hazard_stack_create(void)
{
	return calloc(1, sizeof(struct hazard_stack));
}

void hazard_stack_push(struct hazard_stack *stack, int value)
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

static bool is_hazard(struct hazard_stack *stack, struct node *node)
{
#ifndef FAULTY_SCAN
	for (int i = 0; i < stack->threads; i++)
		if (stack->hazard[i] == node)
			return true;
#endif
	return false;
}

/* Frees what nobody looks at. */
static void retire(struct hazard_stack *stack, struct node *node)
{
	struct node *list = stack->retired[number - 1], *next;

	stack->retired[number - 1] = NULL;
	node->next = list;
	for (; node; node = next) {
		next = node->next;
		if (is_hazard(stack, node)) {
			node->next = stack->retired[number - 1];
			stack->retired[number - 1] = node;
		} else {
			free(node); /* @retire.free */
		}
	}
}

bool hazard_stack_pop(struct hazard_stack *stack, int *value)
{
	struct node *top;

	if (!number)
		number = atomic_fetch_add(&stack->threads, 1) + 1; /* @pop.number */
	for (;;) {
		top = stack->top;                /* @pop.top */
		stack->hazard[number - 1] = top; /* @pop.hazard */
		if (!top)
			return false;
#ifndef FAULTY_AGAIN
		if (stack->top != top) /* @pop.again */
			continue;
#endif
		struct node *next = top->next; /* @pop.next */

		if (atomic_compare_exchange_strong(&stack->top, &top, next)) /* @pop.swap */
			break;
	}
	*value = top->value;
	stack->hazard[number - 1] = NULL;
	retire(stack, top);
	return true;
}
