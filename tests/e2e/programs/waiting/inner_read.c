/* SPDX-License-Identifier: MIT
 *
 * The owner always releases the lock, so any fair scheduler ends both threads.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int l;
static int n;

static void *work(void *arg)
{
	while (__sync_lock_test_and_set(&l, 1))
		while (__atomic_load_n(&l, __ATOMIC_RELAXED))
			;
	n++;
	__sync_lock_release(&l);
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
