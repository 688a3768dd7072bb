/* SPDX-License-Identifier: MIT
 *
 * The handler may run between the two writes: abort must be found.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static volatile int x;

static void handler(int sig)
{
	(void)sig;
	if (x == 1)
		abort();
}

static void *work(void *arg)
{
	x = 1;
	x = 2;
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
