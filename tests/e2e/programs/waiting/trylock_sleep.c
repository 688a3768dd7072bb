/* SPDX-License-Identifier: MIT
 *
 * The owner always releases the lock, so any fair scheduler ends both threads.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *arg)
{
	for (int pause = 1; pthread_mutex_trylock(&l); pause = pause < 1000 ? 2 * pause : pause)
		usleep(pause);
	n++;
	pthread_mutex_unlock(&l);
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
