/* SPDX-License-Identifier: MIT
 *
 * reorder N: N - 1 threads write a and then b, one looks at both. It fails only if it runs between
 * the two writes of a thread and no other thread has come so far.
 */
#include "common.h"

static int a, b;

static void *set(void *arg)
{
	a = 1;
	b = -1;
	return arg;
}

static void *look(void *arg)
{
	int x = a, y = b;

	assert((x == 0 && y == 0) || (x == 1 && y == -1));
	return arg;
}

int main(int argc, char **argv)
{
	int n = number(argc, argv, 10);

	for (int i = 0; i < n - 1; i++)
		start(set, i);
	start(look, 0);
	join_all();
	return 0;
}
