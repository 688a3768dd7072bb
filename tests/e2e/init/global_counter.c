/* SPDX-License-Identifier: MIT
 *
 * wants: object self
 * wants: op increment() -> int : increment()
 * wants: op get() -> int : get()
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static int n = 10;

int increment(void)
{
	return n++;
}

int get(void)
{
	return n;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = increment();
	return unused;
}

static void *second(void *unused)
{
	sink = increment();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = get();
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
