/* SPDX-License-Identifier: MIT
 *
 * The thread may be cancelled while it holds the mutex, and nothing gives that back: deadlock must be
 * found.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_testcancel();
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_cancel(t);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
