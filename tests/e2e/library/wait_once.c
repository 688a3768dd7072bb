/* SPDX-License-Identifier: MIT
 *
 * Looks once whether there is something, and believes that it is there after the wait: wrong if a wait
 * ends without a signal.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *sets(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sets, NULL);
	pthread_mutex_lock(&m);
	if (!ready)
		pthread_cond_wait(&c, &m);
	if (!ready)
		abort();
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
