/* SPDX-License-Identifier: MIT
 *
 * Prints addresses; its threads can lose an update.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int n;

static void *work(void *arg)
{
	n++;
	return arg;
}

int main(void)
{
	volatile int local = 0;
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	n++;
	pthread_join(t, NULL);
	printf("%p %p\n", malloc(4), (void *)&local);
	assert(n == 2);
	return 0;
}
