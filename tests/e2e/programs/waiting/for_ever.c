/* SPDX-License-Identifier: MIT
 *
 * One thread loops for ever without doing anything, and main waits for it: no execution ends.
 */
#include <pthread.h>

static volatile int x;

static void *loops(void *arg)
{
	x++;
	for (;;)
		;
	return arg;
}

static void *looks(void *arg) { x++; return arg; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, loops, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
