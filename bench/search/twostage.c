/* SPDX-License-Identifier: MIT
 *
 * twostage N: what belongs together is written under two locks, one after the other, so that a
 * reader can come in between. N - 1 threads write.
 */
#include "common.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int one, two;

static void *write_both(void *arg)
{
	pthread_mutex_lock(&first);
	one = 1;
	pthread_mutex_unlock(&first);
	pthread_mutex_lock(&second);
	two = one + 1;
	pthread_mutex_unlock(&second);
	return arg;
}

static void *read_both(void *arg)
{
	int x, y;

	pthread_mutex_lock(&first);
	x = one;
	pthread_mutex_unlock(&first);
	if (!x)
		return arg;
	pthread_mutex_lock(&second);
	y = two;
	pthread_mutex_unlock(&second);
	assert(y == x + 1);
	return arg;
}

int main(int argc, char **argv)
{
	int n = number(argc, argv, 60);

	for (int i = 0; i < n - 1; i++)
		start(write_both, i);
	start(read_both, 0);
	join_all();
	return 0;
}
