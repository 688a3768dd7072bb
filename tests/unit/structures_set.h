/* SPDX-License-Identifier: MIT
 *
 * A stress test for the set structures under real threads, included by the test of each: threads
 * add, remove and look up a few keys at random. A key is in the set at the end if it was added once
 * more often than removed, and the two numbers never differ by more, whatever the order was.
 */
#ifndef STRUCTURES_SET_H
#define STRUCTURES_SET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SET_THREADS 4
#define SET_KEYS    5
#define SET_ROUNDS  4000

struct set_operations {
	bool (*add)(void *set, int key);
	bool (*remove)(void *set, int key);
	bool (*contains)(void *set, int key);
};

struct set_thread {
	pthread_t id;
	void *set;
	const struct set_operations *operations;
	unsigned seed;
	int net[SET_KEYS]; /* successful adds less successful removes */
};

static void *set_thread_run(void *argument)
{
	struct set_thread *thread = argument;
	int i;

	for (i = 0; i < SET_ROUNDS; i++) {
		int key = rand_r(&thread->seed) / 7 % SET_KEYS;

		switch (rand_r(&thread->seed) / 7 % 3) {
		case 0:
			thread->net[key] += thread->operations->add(thread->set, key);
			break;
		case 1:
			thread->net[key] -= thread->operations->remove(thread->set, key);
			break;
		default:
			thread->operations->contains(thread->set, key);
		}
	}
	return NULL;
}

static void set_stress(void *set, const struct set_operations *operations)
{
	struct set_thread threads[SET_THREADS] = { 0 };
	int key;
	int i;

	for (i = 0; i < SET_THREADS; i++) {
		threads[i].set = set;
		threads[i].operations = operations;
		threads[i].seed = (unsigned)i + 1;
		assert_int_equal(pthread_create(&threads[i].id, NULL, set_thread_run, &threads[i]),
				 0);
	}
	for (i = 0; i < SET_THREADS; i++)
		pthread_join(threads[i].id, NULL);
	for (key = 0; key < SET_KEYS; key++) {
		int net = 0;

		for (i = 0; i < SET_THREADS; i++)
			net += threads[i].net[key];
		assert_int_equal(net, operations->contains(set, key));
	}
}

/* The answers of one thread, in every state of one key and with neighbours on both sides. */
static void set_sequential(void *set, const struct set_operations *operations)
{
	static const int keys[] = { 3, -7, 12, 5, 0 };
	unsigned i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		assert_false(operations->contains(set, keys[i]));
		assert_false(operations->remove(set, keys[i]));
		assert_true(operations->add(set, keys[i]));
		assert_false(operations->add(set, keys[i]));
		assert_true(operations->contains(set, keys[i]));
		assert_true(operations->remove(set, keys[i]));
		assert_false(operations->contains(set, keys[i]));
		assert_true(operations->add(set, keys[i]));
	}
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_true(operations->remove(set, keys[i]));
}

/* The structures never free their nodes. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Defines test_sequential and test_stress for the set whose functions are NAME_create, NAME_add,
 * NAME_remove and NAME_contains. */
#define SET_TESTS(name)                                                                            \
	static bool name##_add_any(void *set, int key)                                             \
	{                                                                                          \
		return name##_add(set, key);                                                       \
	}                                                                                          \
	static bool name##_remove_any(void *set, int key)                                          \
	{                                                                                          \
		return name##_remove(set, key);                                                    \
	}                                                                                          \
	static bool name##_contains_any(void *set, int key)                                        \
	{                                                                                          \
		return name##_contains(set, key);                                                  \
	}                                                                                          \
	static const struct set_operations name##_operations = {                                   \
		name##_add_any,                                                                    \
		name##_remove_any,                                                                 \
		name##_contains_any,                                                               \
	};                                                                                         \
	static void test_sequential(void **state)                                                  \
	{                                                                                          \
		set_sequential(name##_create(), &name##_operations);                               \
	}                                                                                          \
	static void test_stress(void **state)                                                      \
	{                                                                                          \
		set_stress(name##_create(), &name##_operations);                                   \
	}

#endif
