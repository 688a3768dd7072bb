// SPDX-License-Identifier: MIT
//
// An exception leaves a block, and what comes behind it is no part of it.
#include <pthread.h>

static int x, y;

static void __attribute__((noinline)) thrower()
{
	x = 1; /* @thrower.first */
	throw 1; /* @thrower.throw */
}

static void *catches(void *arg)
{
	try {
		thrower();
	} catch (int) {
		y = 1; /* @catches */
	}
	return arg;
}

static void *looks(void *arg)
{
	if (x && !y)  /* @looks */
		__builtin_trap(); /* @trap */
	return arg;
}

int main()
{
	pthread_t one, other;

	pthread_create(&one, nullptr, catches, nullptr);
	pthread_create(&other, nullptr, looks, nullptr);
	pthread_join(one, nullptr);
	pthread_join(other, nullptr);
	return 0;
}
