/* SPDX-License-Identifier: MIT */
/* Right: the address of a nested function is one of code on the stack: abort must be found, and no crash. */
#include <pthread.h>
#include <stdlib.h>

static volatile int count;

static void call(void (*f)(void))
{
	f();
}

static void *adds(void *arg)
{
	volatile int one = 1;
	void add(void) { count += one; }
	void (*volatile f)(void) = add;

	call(f);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, adds, NULL);
	adds(NULL);
	pthread_join(t, NULL);
	if (count != 2)
		abort();
	return 0;
}
