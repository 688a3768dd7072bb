/* SPDX-License-Identifier: MIT
 *
 * That main returns ends the process, whatever its other threads do; main may read 1; the
 * assertion is found.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y;

static void *daemon_(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		x ^= 1;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, daemon_, NULL);
	int r;

	pthread_mutex_lock(&m);
	r = x;
	pthread_mutex_unlock(&m);
	assert(r == 0);
	return 0;
}
