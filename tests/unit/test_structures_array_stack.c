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
#define ROUNDS  200

struct thread {
	pthread_t id;
	struct array_stack *stack;
	int first;              /* the values pushed are first to first + PUSHES - 1 */
	int popped[PUSHES * 2]; /* in the order of the pops */
	int npopped;
};

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

static void *push_and_pop(void *argument)
{
	struct thread *thread = argument;
	int i;

	for (i = 0; i < PUSHES; i++) {
		array_stack_push(thread->stack, thread->first + i);
		if (i % 3 && array_stack_pop(thread->stack, &thread->popped[thread->npopped]))
			thread->npopped++;
	}
	return NULL;
}

/* Every value that was pushed is popped once, by one of the threads or at the end. */
static void test_stress(void **state)
{
	int round;

	for (round = 0; round < ROUNDS; round++) {
		struct thread threads[THREADS] = { 0 };
		struct array_stack *stack = array_stack_create();
		int times[ARRAY_STACK_CAPACITY + 1] = { 0 };
		int value;
		int i, j;

		for (i = 0; i < THREADS; i++) {
			threads[i].stack = stack;
			threads[i].first = i * PUSHES + 1;
			assert_int_equal(
				pthread_create(&threads[i].id, NULL, push_and_pop, &threads[i]), 0);
		}
		for (i = 0; i < THREADS; i++) {
			pthread_join(threads[i].id, NULL);
			for (j = 0; j < threads[i].npopped; j++)
				times[threads[i].popped[j]]++;
		}
		while (array_stack_pop(stack, &value))
			times[value]++;
		for (i = 1; i <= ARRAY_STACK_CAPACITY; i++)
			assert_int_equal(times[i], 1);
		free(stack);
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
