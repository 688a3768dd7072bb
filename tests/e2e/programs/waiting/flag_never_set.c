/* SPDX-License-Identifier: MIT
 *
 * The other thread sets the wrong variable, so the first spins for ever: a livelock that waits for
 * ready.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, other;

static void *waits(void *arg)
{
	while (!atomic_load(&ready))
		;
	return arg;
}

static void *sets(void *arg) { atomic_store(&other, 1); return arg; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, sets, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
