/* SPDX-License-Identifier: MIT
 *
 * Main always says stop, so every fair execution ends.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static long y;

static void *works(void *arg)
{
	while (!stop) {
		pthread_mutex_lock(&m);
		y++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, works, NULL);
	usleep(1000);
	stop = 1;
	pthread_join(t, NULL);
	return 0;
}
