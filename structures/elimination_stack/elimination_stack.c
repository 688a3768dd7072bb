/* SPDX-License-Identifier: MIT
 *
 * Stack with elimination: Hendler, Shavit and Yerushalmi, "A Scalable Lock-Free Stack Algorithm" (SPAA 2004), with
 * one place where a push and a pop meet. Below it is Treiber's stack.
 *
 * Why it is linearizable: a push that fails to swap the top offers its node, and takes the offer back by compare-and-swap. If
 * that fails, a pop has taken it, by compare-and-swap, while both ran: the push takes effect there and the pop
 * right behind it. Otherwise both are as in Treiber's stack. Nodes are never used again, so there is no ABA.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_BACK: the offer is taken back without comparing. The value may be taken and pushed, too.
 *
 * FAULTY_TAKE: a pop takes an offer without comparing. Two of them may take one.
 *
 * elimination_stack.expect refers to the marks (words after an at sign).
 */
#include "elimination_stack.h"

#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

struct elimination_stack {
	_Atomic(struct node *) top, offer;
};

struct elimination_stack *elimination_stack_create(void)
{
	return calloc(1, sizeof(struct elimination_stack));
}

/* Was the node taken while it was offered? */
static bool offer(struct elimination_stack *stack, struct node *node)
{
	struct node *none = NULL;

	if (!atomic_compare_exchange_strong(&stack->offer, &none, node))
		return false;
#ifdef FAULTY_BACK
	none = stack->offer; /* @offer.look */
	stack->offer = NULL; /* @offer.back */
	return none != node && !none;
#else
	return !atomic_compare_exchange_strong(&stack->offer, &node, NULL);
#endif
}

void elimination_stack_push(struct elimination_stack *stack, int value)
{
	struct node *node = malloc(sizeof(*node)), *top;

	if (!node)
		abort();
	node->value = value;
	for (;;) {
		top = stack->top;
		node->next = top;
		if (atomic_compare_exchange_strong(&stack->top, &top, node) || offer(stack, node))
			return;
	}
}

bool elimination_stack_pop(struct elimination_stack *stack, int *value)
{
	for (;;) {
		struct node *node = stack->top;

		if (!node)
			return false;
		if (atomic_compare_exchange_strong(&stack->top, &node, node->next)) {
			*value = node->value;
			return true;
		}
		node = stack->offer; /* @pop.offer */
		if (!node)
			continue;
#ifdef FAULTY_TAKE
		stack->offer = NULL; /* @pop.take */
#else
		if (!atomic_compare_exchange_strong(&stack->offer, &node, NULL))
			continue;
#endif
		*value = node->value;
		return true;
	}
}
