/* SPDX-License-Identifier: MIT
 *
 * A blocked signal that would end the process stays pending to the end: silent, and all classes
 * are explored.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int x;

static void *work(void *arg) { x++; return arg; }

int main(void)
{
	sigset_t set;
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR2);
	pthread_create(&t, NULL, work, NULL);
	x++;
	pthread_join(t, NULL);
	return 0;
}
