/* SPDX-License-Identifier: MIT
 *
 * wants: object stack
 * wants: op push(value) : push(value)
 * wants: op pop() -> ret if ret != -1 else empty : pop()
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

static struct node *top;

void push(int value)
{
	struct node *n = malloc(sizeof *n);

	n->value = value;
	do
		n->next = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
	while (!__sync_bool_compare_and_swap(&top, n->next, n));
}

int pop(void)
{
	struct node *n;

	do {
		n = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
		if (!n)
			return -1;
	} while (!__sync_bool_compare_and_swap(&top, n, n->next));
	return n->value;
}

static volatile long sink;

static void *first(void *unused)
{
	push(1);
	return unused;
}

static void *second(void *unused)
{
	sink = pop();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = pop();
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
