/* SPDX-License-Identifier: MIT
 *
 * A counter: by fetch-and-add, which is wait-free, or with -DCAS by compare-and-exchange, which is
 * only lock-free: another thread may win each time. Each thread makes OPERATIONS operations.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef OPERATIONS
#define OPERATIONS 3
#endif

static atomic_int counter;

static void increment(void)
{
	int old;

	linchpin_call(&counter, "fetch_add", 1);
#ifdef CAS
	do
		old = atomic_load(&counter);
	while (!atomic_compare_exchange_strong(&counter, &old, old + 1)); /* again */
#else
	old = atomic_fetch_add(&counter, 1);
#endif
	linchpin_return(old);
}

static void *work(void *arg)
{
	for (int i = 0; i < OPERATIONS; i++)
		increment();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	linchpin_object(&counter, "counter");
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
