/* SPDX-License-Identifier: MIT
 *
 * A program without marks: two stacks, one of which two threads pop. A pop reads a cell and clears it in two steps, so
 * both may get the same value.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

struct stack {
	int top, items[8];
};

static struct stack left, right;

__attribute__((noinline)) void stack_push(struct stack *s, int value)
{
	s->items[s->top++] = value;
}

__attribute__((noinline)) bool stack_pop(struct stack *s, int *out)
{
	for (int i = s->top - 1; i >= 0; i--) {
		int value = __atomic_load_n(&s->items[i], __ATOMIC_SEQ_CST); /* @read */

		__atomic_store_n(&s->items[i], 0, __ATOMIC_SEQ_CST);	     /* @clear */
		if (value) {
			*out = value;
			return true;
		}
	}
	return false;
}

static void *thread(void *unused)
{
	int value;

	(void)unused;
	if (stack_pop(&left, &value))
		printf("%d\n", value);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	stack_push(&left, -7);
	stack_push(&right, 9);
	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return stack_pop(&right, &(int){ 0 }) ? 0 : 1;
}
