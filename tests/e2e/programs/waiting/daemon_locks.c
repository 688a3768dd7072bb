/* SPDX-License-Identifier: MIT
 *
 * That main returns ends the process, whatever its other threads do.
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
	pthread_mutex_lock(&m);
	x = 2;
	pthread_mutex_unlock(&m);
	return 0;
}
