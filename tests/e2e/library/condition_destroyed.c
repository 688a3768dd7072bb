/* SPDX-License-Identifier: MIT
 *
 * POSIX: a condition may be destroyed as soon as all that waited have been woken by a broadcast.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, go;

static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	waiting = 1;
	while (!go)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waits, NULL);
	pthread_mutex_lock(&m);
	go = 1;
	if (waiting) {
		pthread_cond_broadcast(&c);
		pthread_cond_destroy(&c);
		pthread_cond_init(&c, NULL);
	}
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
