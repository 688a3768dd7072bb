/* SPDX-License-Identifier: MIT
 *
 * Signals that are ignored, when they are taken, end no wait: only the one with a handler does.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static sem_t ready;
static volatile int handled;
static pthread_t waiter;

static void handler(int sig) { (void)sig; handled = 1; }

static void *sender(void *arg)
{
	sem_wait(&ready);
	pthread_kill(waiter, SIGUSR2);
	pthread_kill(waiter, SIGCHLD);
	pthread_kill(waiter, SIGUSR1);
	return arg;
}

int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	sigset_t all, none;
	pthread_t t;

	waiter = pthread_self();
	sem_init(&ready, 0, 0);
	sigaction(SIGUSR1, &a, NULL);
	a.sa_handler = SIG_IGN;
	sigaction(SIGUSR2, &a, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &none);
	pthread_create(&t, NULL, sender, NULL);
	sem_post(&ready);
	if (sigsuspend(&none) != -1 || errno != EINTR || !handled)
		abort();
	pthread_join(t, NULL);

	/* What was ignored while it was blocked does not end a sleep either. */
	raise(SIGUSR2);
	raise(SIGCHLD);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (sleep(1))
		abort();
	return 0;
}
