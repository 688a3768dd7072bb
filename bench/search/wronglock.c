/* SPDX-License-Identifier: MIT
 *
 * wronglock N: one thread counts under one lock, N others under another one.
 */
#include "common.h"

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static volatile int data;

static void *careful(void *arg)
{
	int x;

	pthread_mutex_lock(&right);
	x = data;
	data = x + 1;
	assert(data == x + 1);
	pthread_mutex_unlock(&right);
	return arg;
}

static void *careless(void *arg)
{
	pthread_mutex_lock(&wrong);
	data = data + 2;
	pthread_mutex_unlock(&wrong);
	return arg;
}

int main(int argc, char **argv)
{
	int n = number(argc, argv, 3);

	start(careful, 0);
	for (int i = 0; i < n; i++)
		start(careless, i);
	join_all();
	return 0;
}
