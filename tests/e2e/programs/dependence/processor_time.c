/* SPDX-License-Identifier: MIT */
/* The processor's time is that of all steps before, those of the execution before, too: nothing fails. */
#include <assert.h>
#include <pthread.h>
#include <time.h>

#define STEPS 20
#define LOOK  50 /* what it takes to look */

static volatile int x, own;

static void *writer(void *p)
{
	clock_t begin = clock();

	for (int i = 0; i < STEPS; i++)
		own = i;
	x = 1;
	assert(clock() - begin >= STEPS + LOOK);
	return p;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, writer, NULL);
	(void)x;
	pthread_join(t, NULL);
	return 0;
}
