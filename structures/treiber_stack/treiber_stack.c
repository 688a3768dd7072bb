/* SPDX-License-Identifier: MIT
 *
 * Treiber's stack: "Systems Programming: Coping with Parallelism" (IBM RJ 5118, 1986). Nodes come from
 * a pool and go back to it, so a node may be the top again while another thread still holds what it
 * was; a generation beside the top tells that (Michael and Scott, PODC 1996, section 1).
 *
 * Why it is linearizable: push and pop take effect when their compare-and-swap succeeds. It succeeds
 * only if nobody has changed the top since it was read, as each change makes another generation; so
 * what pop has read behind the top is still behind it. The pool is a stack of the same kind.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_ABA: no generations. A thread that was stopped in pop puts back what is not in the stack any
 * more if the same node has become the top again.
 *
 * treiber_stack.expect refers to the marks (words after an at sign).
 */
#include "treiber_stack.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define NODES 9 /* node 0 stands for none */

struct node {
	_Atomic uint32_t next; /* others read it of nodes that are in the pool again */
	int value;
};

struct treiber_stack {
	_Atomic uint64_t top, pool; /* a node, and a generation above it */
	struct node nodes[NODES];
};

#ifdef FAULTY_ABA
#define GENERATION 0
#else
#define GENERATION ((uint64_t)1 << 32)
#endif

static uint64_t changed(uint64_t old, uint32_t node)
{
	return ((old & ~(uint64_t)UINT32_MAX) + GENERATION) | node;
}

static void add(struct treiber_stack *stack, _Atomic uint64_t *to, uint32_t node)
{
	uint64_t old = *to;

	do
		stack->nodes[node].next = (uint32_t)old;
	while (!atomic_compare_exchange_strong(to, &old, changed(old, node)));
}

static uint32_t take(struct treiber_stack *stack, _Atomic uint64_t *from)
{
	for (;;) {
		uint64_t old = *from; /* @take.top */
		uint32_t next = stack->nodes[(uint32_t)old].next; /* @take.next */

		if (!(uint32_t)old)
			return 0;
		if (atomic_compare_exchange_strong(from, &old, changed(old, next))) /* @take.swap */
			return (uint32_t)old;
	}
}

struct treiber_stack *treiber_stack_create(void)
{
	struct treiber_stack *stack = calloc(1, sizeof(*stack));

	for (uint32_t i = NODES - 1; stack && i; i--)
		add(stack, &stack->pool, i);
	return stack;
}

void treiber_stack_push(struct treiber_stack *stack, int value)
{
	uint32_t node = take(stack, &stack->pool);

	if (!node)
		abort();
	stack->nodes[node].value = value;
	add(stack, &stack->top, node);
}

bool treiber_stack_pop(struct treiber_stack *stack, int *value)
{
	uint32_t node = take(stack, &stack->top);

	if (!node)
		return false;
	*value = stack->nodes[node].value;
	add(stack, &stack->pool, node);
	return true;
}
