/* SPDX-License-Identifier: MIT
 *
 * The lock is never released, the second one spins for ever: a livelock that waits for taken.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int n;

static void *work(void *arg)
{
	while (atomic_exchange(&taken, 1))
		;
	n++;
	
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(1);
	return 0;
}
