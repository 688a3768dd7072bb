/* SPDX-License-Identifier: MIT
 *
 * N threads push a node and pop one, on a stack of Treiber's kind (IBM report RJ 5118, 1986) made
 * of indices; 0 is no node.
 *
 * A pop whose compare-exchange fails has done nothing, and tries again. A model checker that treats
 * such a loop as a wait drops these executions: with N = 3 it counts 2640 complete ones. Here they
 * are classes like any other, so they are told apart: the program exits with status 1 if a pop had
 * to try again.
 */
#include "oracle.h"

#include <stdatomic.h>

struct node {
	int value;
	int next;
};

static struct node nodes[N + 1];
static atomic_int top;
static int retries[N];

static void push(int n)
{
	int old;

	nodes[n].value = n;
	old = atomic_load(&top);
	do
		nodes[n].next = old;
	while (!atomic_compare_exchange_strong(&top, &old, n));
}

/* Pops a node if there is one, and returns how often it had to try again. */
static int pop(void)
{
	int n = atomic_load(&top);
	int failed = 0;

	while (n && !atomic_compare_exchange_strong(&top, &n, nodes[n].next))
		failed++;
	return failed;
}

static void *push_and_pop(void *argument)
{
	uintptr_t own = (uintptr_t)argument;

	push((int)own + 1);
	retries[own] = pop();
	return NULL;
}

int main(void)
{
	int sum = 0;
	int i;

	oracle_run(N, push_and_pop);
	for (i = 0; i < N; i++)
		sum += retries[i];
	return sum > 0;
}
