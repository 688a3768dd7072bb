/* SPDX-License-Identifier: MIT
 *
 * Without a handler the signal ends the process: crash must be found.
 */
#include <pthread.h>
#include <signal.h>

static volatile int x;

static void *work(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	if (x)
		pthread_kill(pthread_self(), SIGUSR1);
	pthread_join(t, NULL);
	return 0;
}
