/* SPDX-License-Identifier: MIT
 *
 * The owner always releases the lock, so any fair scheduler ends both threads. A local variable
 * counts the rounds.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int l;

__attribute__((noinline)) static void get(atomic_int *p)
{
	volatile int rounds = 0;

	while (atomic_exchange(p, 1))
		rounds++;
}
static int n;

static void *work(void *arg)
{
	get(&l);
	n++;
	atomic_store(&l, 0);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(n == 2);
	return 0;
}
