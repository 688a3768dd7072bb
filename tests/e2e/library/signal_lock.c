/* SPDX-License-Identifier: MIT
 *
 * The handler locks the mutex that its thread may hold: deadlock must be found.
 */
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x;

static void handler(int sig)
{
	(void)sig;
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, work, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
