/* SPDX-License-Identifier: MIT
 *
 * The thread may be cancelled while it waits with the mutex; the handler gives that back.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int x;

static void unlock(void *mutex)
{
	pthread_mutex_unlock(mutex);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	while (!x)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_cancel(t);
	pthread_mutex_lock(&m);
	x++;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
