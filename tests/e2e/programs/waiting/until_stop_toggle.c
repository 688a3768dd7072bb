/* SPDX-License-Identifier: MIT
 *
 * Main always says stop, so every fair execution ends; main reads 1 between two rounds; the
 * assertion is found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static atomic_int y;

static void *works(void *arg)
{
	while (!stop) {
		y ^= 1;
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, works, NULL);
	int x = y;

	stop = 1;
	pthread_join(t, NULL);
	assert(x == 0);
	return 0;
}
