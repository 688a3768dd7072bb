/* SPDX-License-Identifier: MIT
 *
 * wants: object stack
 * wants: op push(value) : stack_push_lf(this, value)
 * wants: op pop() -> ret if ret != -1 else empty : stack_pop_lf(this)
 * wants: op size() -> int : stack_size(this)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define EMPTY (-1)

typedef struct {
	int count;
	int items[4];
} lf_stack;

static lf_stack stack;

static void stack_push_lf(lf_stack *s, int value)
{
	s->items[s->count++] = value;
}

static int stack_pop_lf(lf_stack *s)
{
	if (!s->count)
		return EMPTY;
	return s->items[--s->count];
}

static int stack_size(const lf_stack *s)
{
	return s->count;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = stack_pop_lf(&stack);
	return unused;
}

static void *second(void *unused)
{
	sink = stack_pop_lf(&stack);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	stack_push_lf(&stack, 5);
	sink = stack_size(&stack);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
