/* SPDX-License-Identifier: MIT
 *
 * A thread waits for the signals that all others block, as servers do.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int x;

static void *waits(void *set)
{
	int sig;

	if (sigwait(set, &sig) || sig != SIGUSR1)
		abort();
	x++;
	return NULL;
}

static void *sends(void *arg)
{
	kill(getpid(), SIGUSR1);
	x++;
	return arg;
}

int main(void)
{
	pthread_t a, b;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&a, NULL, waits, &set);
	pthread_create(&b, NULL, sends, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
