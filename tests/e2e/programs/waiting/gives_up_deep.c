/* SPDX-License-Identifier: MIT
 *
 * Nobody sets the flag; the wait ends by itself, and the other thread may see that: the abort is
 * found.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag;
static int gave_up;

static __attribute__((noinline)) int wait_few(volatile int *count)
{
	char big[40000];

	__asm__ volatile("" :: "r"(big) : "memory");
	while (!atomic_load(&flag))
		if (++*count == 60)
			return 0;
	return 1;
}

static void *waits(void *arg)
{
	volatile int count = 0;

	if (!wait_few(&count))
		gave_up = 1;
	return arg;
}

static void *looks(void *arg)
{
	if (gave_up)
		abort();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
