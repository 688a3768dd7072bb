/* SPDX-License-Identifier: MIT
 *
 * The correct variant of structures/avl_map on its own: against an array, with a look at the whole
 * tree after each operation; and under real threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../structures/avl_map/avl_map.c"

#define KEYS    40
#define THREADS 4
#define ROUNDS  4000

/* Nothing frees the nodes, and the sanitizer knows. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:node_new\nleak:avl_map_create\n";
}

/* The height; the heights that are written down are right and differ by at most one. */
static int check_tree(struct node *node, struct node *parent, int least, int most)
{
	int left, right;

	if (!node)
		return 0;
	assert_ptr_equal(node->parent, parent);
	assert_true(node->valid && node->key > least && node->key < most);
	left = check_tree(node->left, node, least, node->key);
	right = check_tree(node->right, node, node->key, most);
	assert_int_equal(node->left_height, left);
	assert_int_equal(node->right_height, right);
	assert_true(balanced(node));
	return 1 + (left > right ? left : right);
}

/* List and tree have the same nodes. */
static void check_map(struct avl_map *map)
{
	struct node *node = map->root->parent;

	check_tree(map->root->left, map->root, INT_MIN, INT_MAX);
	for (; node != map->root; node = node->succ) {
		assert_ptr_equal(node->succ->pred, node);
		assert_true(node->key < node->succ->key);
		if (node->key > INT_MIN)
			assert_ptr_equal(walk(map, node->key), node);
	}
}

static void test_sequential(void **state)
{
	struct avl_map *map = avl_map_create();
	int model[KEYS], value;
	unsigned seed = 1;

	for (int i = 0; i < KEYS; i++)
		model[i] = -1;
	for (int i = 0; i < 20000; i++) {
		int key = rand_r(&seed) / 7 % KEYS, v = rand_r(&seed) / 7 % 2;

		if (rand_r(&seed) / 7 % 2) {
			bool had = avl_map_put(map, key, v, &value);

			assert_int_equal(had, model[key] >= 0);
			if (had)
				assert_int_equal(value, model[key]);
			model[key] = v;
		} else {
			assert_int_equal(avl_map_remove(map, key, v), model[key] == v);
			model[key] = model[key] == v ? -1 : model[key];
		}
		key = rand_r(&seed) / 7 % KEYS;
		assert_int_equal(avl_map_get(map, key, &value), model[key] >= 0);
		check_map(map);
	}
}

static void *run(void *map)
{
	unsigned seed = (unsigned)pthread_self();
	intptr_t net = 0;

	for (int i = 0; i < ROUNDS; i++) {
		int key = rand_r(&seed) / 7 % KEYS, value = 0;

		if (rand_r(&seed) / 7 % 2)
			net += !avl_map_put(map, key, 1, &value);
		else
			net -= avl_map_remove(map, key, 1);
		avl_map_get(map, key, &value);
	}
	return (void *)net;
}

static void test_threads(void **state)
{
	struct avl_map *map = avl_map_create();
	pthread_t threads[THREADS];
	intptr_t left = 0;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run, map), 0);
	for (int i = 0; i < THREADS; i++) {
		void *net;

		pthread_join(threads[i], &net);
		left += (intptr_t)net;
	}
	check_map(map);
	for (struct node *node = map->root->pred; node->key > INT_MIN; node = node->pred)
		left--;
	assert_int_equal(left, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
