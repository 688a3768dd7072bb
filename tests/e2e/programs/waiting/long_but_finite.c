/* SPDX-License-Identifier: MIT
 *
 * 30000 accesses, then it ends: longer than the bound on steps is a limit of the search, not a
 * violation.
 */
#include <pthread.h>

static volatile int a[64];

static void *works(void *arg)
{
	for (int i = 0; i < 15000; i++)
		a[i & 31]++;
	return arg;
}

static void *looks(void *arg)
{
	for (int i = 0; i < 10; i++)
		a[32 + i]++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, works, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
