/* SPDX-License-Identifier: MIT
 *
 * Looks fifty times at two variables that somebody should change, and is then wrong about one of them.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready = 1, stop;

static void *looks(void *arg)
{
	for (int i = 0; i < 50; i++) {
		if (atomic_load(&ready))
			return arg;
		if (atomic_load(&stop) == 2)
			return arg;
	}
	assert(atomic_load(&ready));
	return arg;
}

static void *sets(void *arg)
{
	atomic_store(&ready, 0);
	atomic_store(&stop, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sets, NULL);
	pthread_join(a, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(b, NULL);
	return 0;
}
