/* SPDX-License-Identifier: MIT
 *
 * The owner always releases the lock, so any fair scheduler ends both threads.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int l;
static int n;

static void *work(void *arg)
{
	while (atomic_exchange(&l, 1))
		;
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
