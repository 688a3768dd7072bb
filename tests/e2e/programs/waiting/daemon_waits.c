/* SPDX-License-Identifier: MIT
 *
 * That main returns ends the process, although its other thread waits for ever.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int x;

static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	while (!x)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waits, NULL);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return 0;
}
