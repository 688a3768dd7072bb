/* SPDX-License-Identifier: MIT
 *
 * The correct variant of structures/array_stack on its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include "../../structures/array_stack/array_stack.c"

#define THREADS 4
#define PUSHES  (ARRAY_STACK_CAPACITY / THREADS)
#define ROUNDS  3000

/* A stack a round, and how often each value was popped from it. */
struct round {
	struct array_stack *stack;
	atomic_int popped[ARRAY_STACK_CAPACITY + 1];
};

static struct round rounds[ROUNDS];
static pthread_barrier_t start;

static void test_sequential(void **state)
{
	struct array_stack *stack = array_stack_create();
	int value;

	assert_false(array_stack_pop(stack, &value));
	array_stack_push(stack, 1);
	array_stack_push(stack, 2);
	assert_true(array_stack_pop(stack, &value));
	assert_int_equal(value, 2);
	array_stack_push(stack, 3);
	assert_true(array_stack_pop(stack, &value));
	assert_int_equal(value, 3);
	assert_true(array_stack_pop(stack, &value));
	assert_int_equal(value, 1);
	assert_false(array_stack_pop(stack, &value));
	free(stack);
}

static void pop(struct round *round)
{
	int value;

	if (array_stack_pop(round->stack, &value))
		round->popped[value]++;
}

/* The argument is the first value to push; they are consecutive. */
static void *push_and_pop(void *argument)
{
	int first = (int)(intptr_t)argument;
	int r;
	int i;

	for (r = 0; r < ROUNDS; r++) {
		pthread_barrier_wait(&start);
		for (i = 0; i < PUSHES; i++) {
			array_stack_push(rounds[r].stack, first + i);
			pop(&rounds[r]);
		}
	}
	return NULL;
}

/* Every value that was pushed is popped once, by one of the threads or at the end. */
static void test_stress(void **state)
{
	pthread_t threads[THREADS];
	int r;
	int i;

	for (r = 0; r < ROUNDS; r++) {
		rounds[r].stack = array_stack_create();
		assert_non_null(rounds[r].stack);
	}
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		void *first = (void *)(intptr_t)(i * PUSHES + 1);

		assert_int_equal(pthread_create(&threads[i], NULL, push_and_pop, first), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (r = 0; r < ROUNDS; r++) {
		for (i = 0; i < ARRAY_STACK_CAPACITY; i++)
			pop(&rounds[r]);
		for (i = 1; i <= ARRAY_STACK_CAPACITY; i++)
			assert_int_equal(rounds[r].popped[i], 1);
		free(rounds[r].stack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_stress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
