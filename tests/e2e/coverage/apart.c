/* SPDX-License-Identifier: MIT
 *
 * A counter whose total is only asked for when all threads are over; its operations are named in apart.lin.
 */
#include <pthread.h>
#include <stdio.h>

int counter;

void counter_add(int n)
{
	counter += n; /* @add */
}

__attribute__((noinline)) int counter_total(void)
{
	return counter; /* @total */
}

int counter_reset(void)
{
	counter = 0;
	return 0;
}

static void *thread(void *arg)
{
	counter_add(1);
	return arg;
}

static void *late(void *arg)
{
	printf("%d\n", counter_total());
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_create(&a, NULL, late, NULL);
	pthread_join(a, NULL);
	if (argc > 5)
		printf("%s %d\n", argv[0], counter_reset());
	return 0;
}
